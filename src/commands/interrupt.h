// Ctrl-C, SIGTERM and a closed terminal as a question to ask between cases, so that a report is
// always finished.
#pragma once

#include <csignal>

namespace attnroof {

/// While it lives, SIGINT, SIGTERM and SIGHUP set a flag; a second signal ends the process at once.
/// A SIGHUP that was ignored before (nohup) stays ignored.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool requested();

  private:
    struct sigaction hangup_before_;
};

}  // namespace attnroof
