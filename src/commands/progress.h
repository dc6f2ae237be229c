// One line on a terminal that says where a sweep is; nothing when piped.
#pragma once

#include <chrono>
#include <string>

namespace attnroof {

class Progress {
  public:
    /// Shows nothing when `quiet` or when standard error is not a terminal.
    Progress(std::size_t steps, bool quiet);
    ~Progress();  // erases the line
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// A step begins: its name, and an estimate of the time left from the steps done so far.
    void begin(const std::string& what);

  private:
    std::size_t steps_, begun_ = 0;
    bool shown_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace attnroof
