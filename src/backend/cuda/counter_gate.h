// Why hardware counters cannot be had, and what would open them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace attnroof::cuda {

struct Gate {
    std::string closed;  // empty when open
    std::string remedy;
};

/// Counters cannot be had.
class GateShut : public std::runtime_error {
  public:
    explicit GateShut(Gate gate) : std::runtime_error(gate.closed), gate_(std::move(gate)) {}
    const Gate& gate() const { return gate_; }

  private:
    Gate gate_;
};

/// What a CUPTI result code means to a user. `call` is the call that returned it.
Gate gate_of(int cupti_code, const std::string& call);

/// Whether the driver will refuse counters to this process, judged by the contents of
/// /proc/driver/nvidia/params and /proc/self/status: the driver restricts counters to processes
/// with CAP_SYS_ADMIN or CAP_PERFMON unless it was loaded otherwise. Open when either text is
/// unknown.
Gate privilege_gate(std::string_view driver_params, std::string_view process_status);

/// The same for this process. Starts nothing, asks no driver.
Gate privilege_gate();

}  // namespace attnroof::cuda
