// The commands that print what was compiled in: the schema, completions, the man page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attnroof {

struct PrintCommands {
    /// `app` parses into this object: it stays where it is.
    explicit PrintCommands(CLI::App& app);
    PrintCommands(const PrintCommands&) = delete;
    PrintCommands& operator=(const PrintCommands&) = delete;
    std::vector<CLI::App*> all() const { return {schema, completion, man}; }
    /// True when one of them was given.
    bool run(const CLI::App& app) const;

    CLI::App *schema, *completion, *man;
    std::string shell;
};

}  // namespace attnroof
