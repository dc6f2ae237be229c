// 2^x for x <= 0, a vector at a time. Needs a vec_*.h before it.
#pragma once

namespace attnroof::cpu {
namespace {

/// Relative error below 2^-22.5; 0 for x < -127, so that -inf (a masked score) gives exactly 0.
/// x = n + f with whole n and |f| <= 1/2; 2^f is a minimax polynomial of degree 5.
inline Vec exp2(Vec x) {
    // Adding 1.5 * 2^23 leaves no bits for a fraction: n, plus the exponent's bias of 127, stands
    // in the low bits of the sum.
    const Vec shift = broadcast(0x1.8p23f + 127);
    const Vec bounded = max(broadcast(-127), x);  // in this order a NaN passes
    const Vec shifted = add(bounded, shift);
    const Vec f = sub(bounded, sub(shifted, shift));
    Vec p = broadcast(0x1.5bba14p-10f);
    p = fma(p, f, broadcast(0x1.3cea88p-7f));
    p = fma(p, f, broadcast(0x1.c6b752p-5f));
    p = fma(p, f, broadcast(0x1.ebf9bcp-3f));
    p = fma(p, f, broadcast(0x1.62e42ap-1f));
    p = fma(p, f, broadcast(1));
    return mul(p, to_exponent(shifted));
}

}  // namespace
}  // namespace attnroof::cpu
