#ifdef __AVX2__  // set by the flags that the build gives this file on x86
#include "kernels/cpu/vec_avx2.h"

#include "kernels/cpu/isa_table.h"

namespace attnroof::cpu {

const Isa& avx2_isa() { return isa; }

}  // namespace attnroof::cpu
#endif
