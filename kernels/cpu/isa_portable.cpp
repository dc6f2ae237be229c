#include "kernels/cpu/vec_portable.h"

#include "kernels/cpu/isa_table.h"

namespace attnroof::cpu {

const Isa& portable_isa() { return isa; }

}  // namespace attnroof::cpu
