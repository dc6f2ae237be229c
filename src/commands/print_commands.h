// The commands that print what was compiled in: the schema, completions, the man page.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace attnroof {

struct PrintCommands {
    /// `app` parses into this object: it stays where it is.
    explicit PrintCommands(CLI::App& app);
    PrintCommands(const PrintCommands&) = delete;
    PrintCommands& operator=(const PrintCommands&) = delete;
    /// True when one of them was given.
    bool run(const CLI::App& app) const;

    CLI::App *schema, *completion, *man;
    std::string shell;
};

}  // namespace attnroof
