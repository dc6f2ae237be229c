// The Isa of the translation unit: everything above, for the vector type included before this.
#pragma once

#include "kernels/cpu/microkernel.h"
#include "kernels/cpu/pack.h"
#include "kernels/cpu/probes.h"
#include "kernels/cpu/softmax.h"

namespace attnroof::cpu {
namespace {

constexpr Isa isa{isa_name,        lanes,      strip_rows,    pack_strip,  pack_rows,
                  pack_transposed, multiply,   softmax_strip, softmax_row, store_rows,
                  fma_burst,       fma_chains, read,          copy};

}  // namespace
}  // namespace attnroof::cpu
