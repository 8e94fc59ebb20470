// Arithmetic of PTX on one lane, branch-free where a loop over lanes is to be vectorised. f32 and f64 are the host's (to
// nearest, no contraction, no flushing); NaN results are 0x7fffffff (PTX ISA, floating-point instructions).
#pragma once
#include <bit>
#include <cstdint>

#include "reference/simd/dispatch.hpp"

namespace ulpgate::ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using f32 = float;
using f64 = double;

struct b16 {  // a 16-bit register: in the low half of a lane, the high half zero
    u32 bits;
};

ULPGATE_INLINE u32 word(f32 v) { return std::bit_cast<u32>(v); }
ULPGATE_INLINE f32 real(u32 w) { return std::bit_cast<f32>(w); }
ULPGATE_INLINE f32 nan_as_one(f32 v) { return real(v != v ? 0x7fffffffu : word(v)); }
ULPGATE_INLINE f64 nan_as_one(f64 v) { return v != v ? std::bit_cast<f64>(0x7fffffffffffffffull) : v; }
// Subnormals to zero of their sign.
ULPGATE_INLINE f32 flush(f32 v) { return real((word(v) & 0x7f800000u) ? word(v) : word(v) & 0x80000000u); }

ULPGATE_INLINE f32 from_bf16(u32 h) { return real(h << 16); }
ULPGATE_INLINE u32 to_bf16(f32 v) {
    const u32 w = word(v);
    return v != v ? 0x7fffu : (w + 0x7fffu + (w >> 16 & 1)) >> 16;
}
ULPGATE_INLINE u32 to_bf16_toward_zero(f32 v) { return v != v ? 0x7fffu : word(v) >> 16; }

ULPGATE_INLINE f32 from_fp16(u32 h) {
    const u32 sign = (h & 0x8000u) << 16, a = h & 0x7fffu;
    const u32 normal = (a << 13) + (112u << 23);
    const u32 subnormal = word(static_cast<f32>(static_cast<i32>(a)) * 0x1p-24f);
    const u32 special = a > 0x7c00u ? 0x7fffffffu : 0x7f800000u;
    const u32 magnitude = a >= 0x7c00u ? special : a >= 0x400u ? normal : subnormal;
    return real(a > 0x7c00u ? special : magnitude | sign);
}
ULPGATE_INLINE u32 to_fp16(f32 v) {
    const u32 w = word(v), sign = w >> 16 & 0x8000u, a = w & 0x7fffffffu;
    // Below 2^-14: adding 1/2 rounds to multiples of 2^-24, the subnormals' unit.
    const u32 small = word(real(a) + 0.5f) - word(0.5f);
    const u32 rounded = (a + 0xfffu + (a >> 13 & 1) - (112u << 23)) >> 13;
    const u32 large = rounded > 0x7c00u ? 0x7c00u : rounded;
    const u32 finite = a < 0x38800000u ? small : a >= 0x47800000u ? 0x7c00u : large;
    return a > 0x7f800000u ? 0x7fffu : sign | finite;
}

// Rounded to odd: one more rounding to at most 22 (from float) or 51 bits (from double) less is then the only one.
// p + c, p exact.
ULPGATE_INLINE f64 sum_to_odd(f64 p, f64 c) {
    const f64 s = p + c, b = s - p, error = (p - (s - b)) + (c - b);
    const u64 w = std::bit_cast<u64>(s);
    const u64 back = (error > 0) == (s > 0) ? 0 : 1;
    const u64 odd = error != 0 && !(w & 1) ? (w - back) | 1 : w;
    return std::bit_cast<f64>(s - s != 0 ? w : odd);
}
ULPGATE_INLINE f32 narrow_to_odd(f64 v) {
    const f32 f = static_cast<f32>(v);
    const f64 back = f;
    const u32 w = word(f);
    const u32 down = (back < 0 ? -back : back) > (v < 0 ? -v : v) ? 1u : 0u;
    const u32 odd = back != v && f - f == 0 && !(w & 1) ? (w - down) | 1u : w;
    return real(f - f != 0 && v - v == 0 ? (w & 0x80000000u) | 0x7f7fffffu : odd);
}
// a * b is exact in double for 16-bit a and b; their sum with c is rounded once.
ULPGATE_INLINE u32 fma_bf16(u32 a, u32 b, u32 c) {
    return to_bf16(narrow_to_odd(sum_to_odd(static_cast<f64>(from_bf16(a)) * from_bf16(b), from_bf16(c))));
}
ULPGATE_INLINE u32 fma_fp16(u32 a, u32 b, u32 c) {
    return to_fp16(narrow_to_odd(sum_to_odd(static_cast<f64>(from_fp16(a)) * from_fp16(b), from_fp16(c))));
}

// min and max: a NaN loses, -0 < +0.
ULPGATE_INLINE f32 larger(f32 a, f32 b) {
    const u32 ties = a == b ? word(a) & word(b) : word(a > b ? a : b);
    const u32 r = a != a ? word(b) : b != b ? word(a) : ties;
    return nan_as_one(real(r));
}
ULPGATE_INLINE f32 smaller(f32 a, f32 b) {
    const u32 ties = a == b ? word(a) | word(b) : word(a < b ? a : b);
    const u32 r = a != a ? word(b) : b != b ? word(a) : ties;
    return nan_as_one(real(r));
}

}  // namespace ulpgate::ptx
