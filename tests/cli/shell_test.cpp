// Shell habits: completions and man page that hold every option, pipes, colour, examples.
#include <sys/wait.h>

#include <set>
#include <sstream>

#include "catch.h"
#include "tests/cli/run_binary.h"

using namespace attnroof;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string printed(const std::vector<std::string>& args) {
    const TemporaryFolder folder;
    const Outcome outcome = run_binary(args, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome.out;
}

/// The first word of every line that is indented by two spaces.
std::vector<std::string> entries(const std::string& help) {
    std::vector<std::string> words;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
        if (line.size() > 2 && line.starts_with("  ") && line[2] != ' ')
            words.push_back(line.substr(2, line.find(' ', 2) - 2));
    return words;
}

/// The commands that the tool's --help lists.
std::set<std::string> commands() {
    const std::string help = printed({"--help"});
    const std::size_t start = help.find("Subcommands:");
    const auto words = entries(help.substr(start, help.find("\n\n", start) - start));
    return {words.begin(), words.end()};
}

/// The long options that a --help lists: "-N,--seq-len" or "--no-x{false}"; prose has "--batch,
/// ...".
std::set<std::string> options_of(const std::string& command) {
    std::set<std::string> options;
    for (const std::string& word : entries(printed({command, "--help"})))
        if (word[0] == '-' && holds(word, "--") && word.back() != ',')
            options.insert(word.substr(word.find("--"), word.find('{') - word.find("--")));
    return options;
}

/// "--seq-len" as a man page spells it: "\\-\\-seq\\-len".
std::string in_roff(const std::string& option) {
    std::string out;
    for (char c : option) out.append(c == '-' ? "\\-" : std::string(1, c));
    return out;
}

/// What `bash -c SCRIPT` says on both streams; `status` gets its exit code.
std::string shell(const std::string& script, int* status = nullptr) {
    const TemporaryFolder folder;
    const std::string file =
        folder.write("script", "cd '" + folder.path().string() +
                                   "'\nattnroof() { '" ATTNROOF_BINARY "' \"$@\"; }\n" + script);
    const int code = std::system(("bash '" + file + "' >'" + file + ".out' 2>&1").c_str());
    if (status != nullptr) *status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    return read_text(file + ".out");
}

constexpr const char* small_sweep =
    "attnroof sweep --device cpu -N 64 -d 64 --mask full --dtype fp32 --batch 1 --heads 1 "
    "--counters off "
    "--cache warm --no-ceilings --max-seconds 0.01 -o report.json ";

}  // namespace

TEST_CASE("completions and the man page hold every command and option", "[shell]") {
    const std::set<std::string> names = commands();
    REQUIRE(names.count("sweep") == 1);
    REQUIRE(names.count("compare") == 1);
    const std::string man = printed({"man"});
    for (const std::string& name : names) {
        const std::set<std::string> options = options_of(name);
        REQUIRE(options.count("--help") == 1);
        REQUIRE(holds(man, ".SH COMMAND " + name));
        for (const std::string& option : options) {
            INFO(name << " " << option);
            REQUIRE(holds(man, in_roff(option)));
            for (const char* kind : {"bash", "zsh"})
                REQUIRE(holds(printed({"completion", kind}), option));
            REQUIRE(holds(printed({"completion", "fish"}), "-l " + option.substr(2) + " "));
        }
    }
}

TEST_CASE("every command's help has examples", "[shell]") {
    for (const std::string& name : commands()) {
        INFO(name);
        const std::string help = printed({name, "--help"});
        REQUIRE(holds(help.substr(help.find("Examples:")), "attnroof " + name));
    }
}

TEST_CASE("bash completes commands, options, words and files", "[shell]") {
    const auto completed = [](const std::string& words) {
        return shell(
            "source <(attnroof completion bash)\nCOMP_WORDS=(" + words +
            ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_attnroof\necho \"${COMPREPLY[*]}\"");
    };
    CHECK(completed("attnroof swe") == "sweep\n");
    CHECK(completed("attnroof sweep --seq") == "--seq-len\n");
    CHECK(completed("attnroof sweep --dtype b") == "bf16\n");
    CHECK(completed("attnroof sweep --config smo") == "smoke\n");
    CHECK(completed("attnroof compare --str") == "--strict\n");
    CHECK(completed("attnroof predict --device-spec h2") == "h200\n");
    CHECK(holds(completed("attnroof sweep -o scr"), "script.out"));
}

TEST_CASE("the scripts are what their shells can read", "[shell]") {
    for (const char* kind : {"bash", "zsh", "fish"}) {
        int status = 0;
        const std::string said = shell(fmt::format("command -v {0} >/dev/null || exit 77\n"
                                                   "attnroof completion {0} >file && {0} -n file",
                                                   kind),
                                       &status);
        if (status == 77) {
            WARN(kind << " is not installed");
            continue;
        }
        INFO(kind << ": " << said);
        REQUIRE(status == 0);
        REQUIRE(said.empty());
    }
    const TemporaryFolder folder;
    REQUIRE(run_binary({"completion", "tcsh"}, folder.path()).exit_code == 2);
    REQUIRE(run_binary({"completion"}, folder.path()).exit_code == 2);
}

TEST_CASE("groff has nothing to say about the man page", "[shell]") {
    int status = 0;
    const std::string said = shell(
        "command -v groff >/dev/null || exit 77\n"
        "attnroof man | groff -man -ww -Tutf8 -z",
        &status);
    if (status == 77) {
        WARN("groff is not installed");
        return;
    }
    REQUIRE(said.empty());
}

TEST_CASE("a reader that leaves early breaks nothing", "[shell]") {
    int status = -1;
    for (const char* command : {"sweep --list-kernels", "schema", "sweep --help", "man"}) {
        const std::string said =
            shell(fmt::format("set -o pipefail\nattnroof {} | head -1 | wc -l", command), &status);
        INFO(command << ": " << said);
        REQUIRE(status == 0);
        REQUIRE(said == "1\n");
    }
    // Nobody reads at all, on either stream: the report is written and the exit code stands.
    const std::string said = shell(std::string("set -o pipefail\n(sleep 0.1; ") + small_sweep +
                                       " 2>&1) | true\necho ${PIPESTATUS[0]}\n"
                                       "grep -c '\"complete\": true' report.json",
                                   &status);
    INFO(said);
    REQUIRE(said == "0\n1\n");
    REQUIRE(shell(std::string(small_sweep) + "-q -o /dev/stdout | head -1") == "{\n");
}

TEST_CASE("a full standard output is an error", "[shell]") {
    for (const std::string command : {"attnroof schema", "attnroof --version", "attnroof --help"}) {
        int status = -1;
        INFO(command);
        REQUIRE(shell(command + " >/dev/full", &status) ==
                "attnroof: cannot write standard output: No space left on device\n");
        REQUIRE(status == 2);
    }
}

TEST_CASE("colour on a terminal alone, and not with NO_COLOR", "[shell]") {
    const std::string on_terminal =
        std::string("command -v script >/dev/null || exit 77\nexport -f attnroof\n") +
        "SHELL=/bin/bash TERM=xterm script -qec '" + small_sweep + "-q' /dev/null";
    int status = 0;
    const std::string colourful = shell("unset NO_COLOR\n" + on_terminal, &status);
    if (status == 77) {
        WARN("script(1) is not installed");
        return;
    }
    INFO(colourful);
    REQUIRE(holds(colourful, "2 cases"));
    REQUIRE(holds(colourful, "\033["));
    const std::string plain = shell("export NO_COLOR=1\n" + on_terminal);
    REQUIRE(holds(plain, "2 cases"));
    REQUIRE_FALSE(holds(plain, "\033["));
    REQUIRE_FALSE(holds(shell(std::string("unset NO_COLOR\n") + small_sweep), "\033["));
}
