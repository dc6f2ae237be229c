#include "commands/interrupt.h"

namespace attnroof {
namespace {

// A signal handler has no other place to write to.
volatile std::sig_atomic_t interrupted = 0;

void on_signal(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted = 0;
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    ::sigaction(SIGHUP, nullptr, &hangup_before_);
    if (hangup_before_.sa_handler != SIG_IGN) std::signal(SIGHUP, on_signal);
}

InterruptGuard::~InterruptGuard() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    ::sigaction(SIGHUP, &hangup_before_, nullptr);
}

bool InterruptGuard::requested() { return interrupted != 0; }

}  // namespace attnroof
