// An attnroof process that runs beside the test, to be signalled.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace attnroof {

class BackgroundRun {
  public:
    /// Starts `attnroof ARGS` in `folder`; what it says is thrown away.
    BackgroundRun(const std::vector<std::string>& args, const std::filesystem::path& folder) {
        std::vector<char*> argv{const_cast<char*>(ATTNROOF_BINARY)};
        for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
        argv.push_back(nullptr);
        const std::string where = folder.string();
        process_ = fork();
        if (process_ != 0) return;
        const int nowhere = open("/dev/null", O_RDWR);
        for (int descriptor : {0, 1, 2}) dup2(nowhere, descriptor);
        if (chdir(where.c_str()) == 0) execv(ATTNROOF_BINARY, argv.data());
        _exit(127);
    }
    BackgroundRun(const BackgroundRun&) = delete;
    BackgroundRun& operator=(const BackgroundRun&) = delete;
    ~BackgroundRun() {
        if (process_ <= 0) return;
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }

    /// True once `ready` is; false when the process ended first.
    bool wait_until(const std::function<bool()>& ready) {
        while (!ready()) {
            if (waitpid(process_, &status_, WNOHANG) == process_) {
                process_ = 0;
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return true;
    }
    void send(int signal) const { kill(process_, signal); }
    /// The exit code, or minus the number of the signal that ended it.
    int wait() {
        if (process_ > 0) waitpid(process_, &status_, 0);
        process_ = 0;
        return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
    }

  private:
    pid_t process_ = 0;
    int status_ = 0;
};

}  // namespace attnroof
