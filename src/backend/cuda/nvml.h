// NVML, loaded at run time: clocks, power, throttling. Its header is not part of every toolkit, so
// the few functions used are declared in nvml.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backend/device_facts.h"
#include "backend/inspection.h"

namespace attnroof::cuda {

/// What NVML knows of one device. Anything it will not tell stays empty.
class Nvml {
  public:
    /// Null when there is no libnvidia-ml.so.1 or it does not know the device. `pci_bus_id` as
    /// from cudaDeviceGetPCIBusId.
    static std::unique_ptr<Nvml> open(const std::string& pci_bus_id);
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// Fills driver, clock limits, power limit, ECC and MIG.
    void describe(DeviceFacts& facts) const;
    ClockReading clocks() const;
    /// Fills virtualization, confidential computing, processes, default power limit.
    void inspect(GpuInspection& found) const;

  private:
    struct Functions;
    Nvml(std::unique_ptr<Functions> functions, void* device);

    std::unique_ptr<Functions> functions_;
    void* device_;
};

/// Whether NVML's clock event reasons say that power or heat holds the clock down. An idle clock
/// and one that a user has set do not.
bool is_throttled(std::uint64_t reasons);

}  // namespace attnroof::cuda
