#ifdef __AVX512F__  // set by the flags that the build gives this file on x86
#ifndef __clang__
// GCC 12's own AVX-512 header leaves unused inputs of its builtins undefined.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "kernels/cpu/vec_avx512.h"

#include "kernels/cpu/isa_table.h"

namespace attnroof::cpu {

const Isa& avx512_isa() { return isa; }

}  // namespace attnroof::cpu
#endif
