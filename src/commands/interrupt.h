// Ctrl-C and SIGTERM as a question to ask between cases, so that a report is always finished.
#pragma once

namespace attnroof {

/// While it lives, SIGINT and SIGTERM set a flag; a second signal ends the process at once.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool requested();
};

}  // namespace attnroof
