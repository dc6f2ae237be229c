// Tags for 16-bit elements in memory. No functions: see isa.h.
#pragma once

#include <cstdint>

namespace attnroof::cpu {

struct Bf16 {
    std::uint16_t bits;
};
struct Fp16 {
    std::uint16_t bits;
};

}  // namespace attnroof::cpu
