#include "report/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "errors.h"
#include "report/formats.h"

namespace attnroof {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t trial_bytes = 64 * 1024;  // a small report

/// Ends an attempt to write `path` with the system's own words.
[[noreturn]] void fail(const std::string& path, int error) {
    throw UsageError(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

std::optional<struct stat> status_of(const std::string& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return status;
}

/// An open file that closes itself.
class File {
  public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    bool is_open() const { return descriptor_ >= 0; }
    bool take_mode(mode_t mode) { return ::fchmod(descriptor_, mode & 07777) == 0; }
    bool sync() { return ::fsync(descriptor_) == 0; }
    bool write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }

  private:
    int descriptor_;
};

/// A name in the target's folder that is unlinked again unless it was renamed.
class TemporaryName {
  public:
    explicit TemporaryName(const fs::path& folder)
        : path_(folder / fmt::format(".attnroof-{}.tmp", ::getpid())) {
        ::unlink(path_.c_str());  // left by a killed process that had this id
    }
    ~TemporaryName() {
        if (!renamed_) ::unlink(path_.c_str());
    }
    TemporaryName(const TemporaryName&) = delete;
    TemporaryName& operator=(const TemporaryName&) = delete;

    int create() const {
        return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    bool rename_to(const fs::path& target) {
        renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
        return renamed_;
    }

  private:
    fs::path path_;
    bool renamed_ = false;
};

/// The file that a chain of symbolic links ends in, whether it exists yet or not.
fs::path final_target(const std::string& path) {
    fs::path target = path;
    for (int links = 0; links < 40; ++links) {
        std::error_code error;
        const fs::path next = fs::read_symlink(target, error);
        if (error) return target;
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    fail(path, ELOOP);
}

fs::path folder_of(const fs::path& target) {
    return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

void append_to_stream(const std::string& path, std::string_view text) {
    File file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file.is_open() && file.write(text)) return;
    if (errno != EPIPE) fail(path, errno);  // a reader that has seen enough is no error
}

}  // namespace

bool is_stream(const std::string& path) {
    if (path.starts_with("/dev/") || path.starts_with("/proc/")) return true;
    const auto status = status_of(path);
    return status && !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode);
}

void write_file(const std::string& path, std::string_view text) {
    if (is_stream(path)) return append_to_stream(path, text);
    const fs::path target = final_target(path);
    TemporaryName name(folder_of(target));
    {
        File file(name.create());
        if (!file.is_open()) fail(path, errno);
        if (const auto old = status_of(target)) file.take_mode(old->st_mode);
        if (!file.write(text) || !file.sync()) fail(path, errno);
    }
    if (!name.rename_to(target)) fail(path, errno);
    // The rename itself reaches the disk with the folder; a file system that refuses is no error.
    File folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.is_open()) folder.sync();
}

void check_writable(const std::string& path) {
    if (path.empty()) throw UsageError("the output path is empty");
    const auto status = status_of(path);
    if (status && S_ISDIR(status->st_mode)) fail(path, EISDIR);
    if (status && ::access(path.c_str(), W_OK) != 0) fail(path, errno);
    if (is_stream(path)) {
        if (!status) fail(path, ENOENT);
        return;
    }
    const fs::path folder = folder_of(final_target(path));
    if (!status_of(folder))
        throw UsageError(
            fmt::format("cannot write {}: there is no folder {}", path, folder.string()));
    // A trial write finds the full disk, too, before anything is measured.
    const TemporaryName name(folder);
    File file(name.create());
    if (!file.is_open() || !file.write(std::string(trial_bytes, ' ')) || !file.sync())
        fail(path, errno);
}

}  // namespace attnroof
