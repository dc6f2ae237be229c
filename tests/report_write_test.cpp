#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "catch.h"
#include "errors.h"
#include "report/atomic_file.h"
#include "report/formats.h"
#include "report_fixture.h"
#include "report_golden.h"

using namespace attnroof;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A new empty folder that goes away.
struct Folder {
    Folder() {
        std::string name = (fs::temp_directory_path() / "attnroof-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    std::ptrdiff_t entries() const {
        return std::distance(fs::directory_iterator(path), fs::directory_iterator());
    }
    fs::path path;
};

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// While it lives, no file can grow past `bytes`: a disk that is full.
struct FullDisk {
    explicit FullDisk(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before);
        handler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
    }
    rlimit before{};
    void (*handler)(int) = nullptr;
};

}  // namespace

TEST_CASE("the extension names the format", "[report]") {
    CHECK(format_of("a/b.json").extension == "json");
    CHECK(format_of("B.SVG").extension == "svg");
    CHECK(format_of("x.tar.csv").extension == "csv");
    CHECK(format_of("/dev/stdout").extension == "json");
    CHECK_THROWS_WITH(format_of("report.xyz"), Contains(".xyz") && Contains(".json"));
    CHECK_THROWS_WITH(format_of("report"), Contains("report") && Contains(".csv"));
    for (const Format& format : formats())
        CHECK_FALSE(format.render(fixture::small_report()).empty());
}

TEST_CASE("writing replaces a file and leaves nothing beside it", "[report]") {
    const Folder folder;
    put(folder / "r.json", "old");
    ::chmod((folder / "r.json").c_str(), 0640);
    write_report(fixture::small_report(), folder / "r.json");
    CHECK(file_text(folder / "r.json") == to_json(fixture::small_report()));
    CHECK(folder.entries() == 1);
    struct stat status;
    REQUIRE(::stat((folder / "r.json").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("a full disk leaves the old file whole", "[report]") {
    const Folder folder;
    put(folder / "r.json", "old");
    std::string message;
    {
        const FullDisk full(100);
        try {
            write_report(fixture::small_report(), folder / "r.json");
        } catch (const UsageError& error) {
            message = error.what();
        }
    }
    CHECK_THAT(message, Contains("cannot write") && Contains("r.json"));
    CHECK(file_text(folder / "r.json") == "old");
    CHECK(folder.entries() == 1);
    CHECK_THROWS_WITH(write_file("/dev/full", "text"), Contains("No space left"));
}

TEST_CASE("a symbolic link stays one and its target is replaced", "[report]") {
    const Folder folder;
    fs::create_directory(folder / "there");
    put(folder / "there/r.json", "old");
    fs::create_symlink("there/r.json", folder / "link.json");
    fs::create_symlink("link.json", folder / "link2.json");
    write_file(folder / "link2.json", "new");
    CHECK(fs::is_symlink(folder / "link2.json"));
    CHECK(fs::is_symlink(folder / "link.json"));
    CHECK(file_text(folder / "there/r.json") == "new");

    fs::create_symlink("there/none.json", folder / "dangling.json");
    write_file(folder / "dangling.json", "made");
    CHECK(file_text(folder / "there/none.json") == "made");
    fs::create_symlink("loop", folder / "loop");
    CHECK_THROWS_AS(write_file(folder / "loop", "x"), UsageError);
}

TEST_CASE("a pipe is written to, not replaced", "[report]") {
    const Folder folder;
    const std::string pipe = folder / "pipe.json";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_NOTHROW(check_writable(pipe));
    std::string received;
    std::thread reader([&] { received = file_text(pipe); });
    write_file(pipe, "through the pipe");
    reader.join();
    CHECK(received == "through the pipe");
    CHECK(is_stream(pipe));
    CHECK_NOTHROW(check_writable("/dev/null"));
    CHECK_NOTHROW(write_file("/dev/null", "gone"));
}

TEST_CASE("what cannot be written is refused before anything is measured", "[report]") {
    const Folder folder;
    CHECK_THROWS_WITH(check_writable("no/such/folder/r.json"), Contains("no/such/folder"));
    CHECK_THROWS_WITH(check_writable(folder.path.string()), Contains("directory"));
    CHECK_THROWS_AS(check_writable(""), UsageError);
    CHECK_THROWS_AS(check_writable("/proc/r.json"), UsageError);
    put(folder / "file", "x");
    CHECK_THROWS_AS(check_writable(folder / "file/r.json"), UsageError);
    if (::geteuid() != 0) {  // root may write anywhere
        ::chmod((folder / "file").c_str(), 0400);
        CHECK_THROWS_WITH(check_writable(folder / "file"), Contains("denied"));
        ::chmod(folder.path.c_str(), 0500);
        CHECK_THROWS_WITH(check_writable(folder / "r.json"), Contains("denied"));
        ::chmod(folder.path.c_str(), 0700);
    }
}

TEST_CASE("asking leaves an existing file as it is, and nothing new", "[report]") {
    const Folder folder;
    put(folder / "r.json", "old");
    check_writable(folder / "r.json");
    check_writable(folder / "new.json");
    CHECK(file_text(folder / "r.json") == "old");
    CHECK(folder.entries() == 1);
}
