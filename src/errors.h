// Errors that end in a known exit code. main catches them, once.
#pragma once

#include <stdexcept>
#include <string>

namespace attnroof {

enum class ExitCode : int {
    pass = 0,
    failed = 1,          // a case failed or is wrong; a regression
    usage = 2,           // usage, config, file or schema
    not_comparable = 3,  // not comparable, or nothing matched
    missing = 4,         // a required case is missing or failed
    interrupted = 130,
};

class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
    ExitCode code() const { return code_; }

  private:
    ExitCode code_;
};

/// Command line, config, file or schema at fault; the text names it in one line.
class UsageError : public Error {
  public:
    explicit UsageError(const std::string& what) : Error(ExitCode::usage, what) {}
};

/// The device asked for is not there or cannot be used.
class DeviceError : public Error {
  public:
    explicit DeviceError(const std::string& what) : Error(ExitCode::failed, what) {}
};

/// The device cannot be used any more in this process: a kernel hangs, or the device is gone.
class DeviceLost : public DeviceError {
  public:
    explicit DeviceLost(const std::string& what) : DeviceError(what) {}
};

/// The device refused an allocation.
class OutOfMemory : public Error {
  public:
    explicit OutOfMemory(const std::string& what) : Error(ExitCode::failed, what) {}
};

}  // namespace attnroof
