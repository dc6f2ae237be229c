#include "commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace attnroof {

Progress::Progress(std::size_t steps, bool quiet)
    : steps_(steps), shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::begin(const std::string& what) {
    if (!shown_) return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    std::string left;
    if (begun_ > 0 && steps_ > begun_)
        left = fmt::format(", {:.0f} s left", spent.count() / static_cast<double>(begun_) *
                                                  static_cast<double>(steps_ - begun_));
    ++begun_;
    fmt::print(stderr, "\r\033[K[{}/{}{}] {}", begun_, steps_, left, what);
    std::fflush(stderr);
}

}  // namespace attnroof
