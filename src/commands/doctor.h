// What the command line of `attnroof doctor` asks for.
#pragma once

namespace attnroof {

struct DoctorOptions {
    int index = 0;  // of the CUDA device
    bool json = false;
};

/// `attnroof doctor`: what on this machine stands in the way, with the remedies. Exit code 1 when
/// counters cannot work on the GPU.
int run_doctor(const DoctorOptions& options);

}  // namespace attnroof
