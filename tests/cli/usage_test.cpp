// The binary's manners: help, version, and one line on stderr with exit code 2 for bad input.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "tests/cli/run_binary.h"

using namespace attnroof;

namespace {

nlohmann::json bad_inputs() {
    return nlohmann::json::parse(std::ifstream(ATTNROOF_TEST_DATA "/bad_configs.json"));
}

/// Exit code 2, nothing on stdout, one line on stderr that holds all of `says`.
void require_refused(const Outcome& outcome, const std::vector<std::string>& says) {
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(outcome.out.empty());
    REQUIRE(outcome.err.starts_with("attnroof: "));
    REQUIRE(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    REQUIRE(outcome.err.ends_with("\n"));
    for (const std::string& word : says) {
        INFO("must say " << word);
        REQUIRE(outcome.err.find(word) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("every bad config ends the binary in 2 with one line") {
    const nlohmann::json inputs = bad_inputs();
    for (const auto& bad : inputs.at("configs")) {
        INFO(bad.at("name"));
        const TemporaryFolder folder;
        folder.write("bad.json", bad.at("text"));
        const Outcome outcome =
            run_binary({"sweep", "--config", "bad.json", "-o", "report.json"}, folder.path());
        require_refused(outcome, bad.at("says"));
        REQUIRE(outcome.err.find("bad.json") != std::string::npos);
        REQUIRE_FALSE(std::filesystem::exists(folder.path() / "report.json"));
    }
}

TEST_CASE("every bad command line ends the binary in 2 with one line") {
    const nlohmann::json inputs = bad_inputs();
    for (const auto& bad : inputs.at("command_lines")) {
        INFO(bad.at("args"));
        const TemporaryFolder folder;
        require_refused(run_binary(bad.at("args"), folder.path()), bad.at("says"));
        REQUIRE(std::filesystem::is_empty(folder.path()));
    }
}

TEST_CASE("more bad command lines") {
    const TemporaryFolder folder;
    const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> rows{
        {{"sweep", "--seqlen", "512"}, {"--seqlen", "--seq-len"}},
        {{"sweep", "4096"}, {"4096"}},
        {{"sweep", "-N"}, {"seq-len"}},
        {{"sweep", "-N", ""}, {"seq-len", "empty"}},
        {{"sweep", "-N", "512,"}, {"seq-len", "512,"}},
        {{"sweep", "-N", "512,512"}, {"512", "twice"}},
        {{"sweep", "-N", "-512"}, {"-512"}},
        {{"sweep", "-d", "0"}, {"head-dim", "0"}},
        {{"sweep", "-N", "99999999999999999999"}, {"99999999999999999999"}},
        {{"sweep", "-N", "1099511627776"}, {"64 bits"}},
        {{"sweep", "-N", "65536", "--heads", "1", "--kv-heads", "1099511627776"}, {"kv_heads"}},
        {{"sweep", "-N", "512:65536"}, {"512:65536", "FROM:TO"}},
        {{"sweep", "-N", "512:256:*2"}, {"512", "256"}},
        {{"sweep", "-N", "512:65536:*1"}, {"1"}},
        {{"sweep", "--dtype", "float16"}, {"float16", "fp16"}},
        {{"sweep", "--kernels", "fused:sm8"}, {"sm8", "sm80"}},
        {{"sweep", "--counters", "yes"}, {"yes", "auto"}},
        {{"sweep", "--device", "gpu"}, {"gpu", "cuda"}},
        {{"sweep", "--device", "cuda:x"}, {"cuda:x"}},
        {{"sweep", "--config", ""}, {"--config"}},
        {{"sweep", "--config", "defualt"}, {"defualt", "default"}},
        {{"sweep", "--tokens", "1024", "--batch", "2"}, {"--tokens", "--batch"}},
        {{"sweep", "--heads", "8", "--kv-heads", "3"}, {"heads 8", "kv_heads 3"}},
        {{"sweep", "--max-seconds", "-1"}, {"max-seconds", "-1"}},
        {{"sweep", "--max-seconds", "nan"}, {"max-seconds", "nan"}},
        {{"sweep", "--seed", "-1"}, {"seed", "-1"}},
        {{"sweep", "-N", "512", "-o", "a.json", "-o", "a.json"}, {"a.json", "twice"}},
        {{"sweep", "-N", "12\n34"}, {"12?34"}},
        {{"doctor", "--index", "-1"}, {"--index", "-1"}},
        {{"doctor", "--index", "x"}, {"--index"}},
        {{"--verson"}, {"--verson", "--version"}},
    };
    for (const auto& [args, says] : rows) {
        INFO(args.back());
        require_refused(run_binary(args, folder.path()), says);
    }
    REQUIRE(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("no arguments print the help and end in 2") {
    const TemporaryFolder folder;
    const Outcome outcome = run_binary({}, folder.path());
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(outcome.out.find("Examples:") != std::string::npos);
    REQUIRE(outcome.err == "attnroof: no command given\n");
}

TEST_CASE("help and version go to stdout and end in 0") {
    const TemporaryFolder folder;
    for (const std::vector<std::string>& args :
         {std::vector<std::string>{"--help"}, {"sweep", "--help"}, {"--version"}}) {
        const Outcome outcome = run_binary(args, folder.path());
        REQUIRE(outcome.exit_code == 0);
        REQUIRE(outcome.err.empty());
        REQUIRE(outcome.out.find("attnroof") != std::string::npos);
    }
    REQUIRE(run_binary({"sweep", "--help"}, folder.path()).out.find("--seq-len") !=
            std::string::npos);
}
