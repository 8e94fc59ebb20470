// cvt: each pair of types that is run, with its rounding. bf16x2 and f16x2 put the first source into the upper half.
#include <cmath>

#include "impls/cuda/ptx/opcode.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

template <class I>
ULPGATE_INLINE I toward_zero(f32 v) {
    constexpr f32 high = sizeof(I) == 4 ? (std::is_signed_v<I> ? 0x1p31f : 0x1p32f) : (std::is_signed_v<I> ? 0x1p63f : 0x1p64f);
    if (v != v) return std::is_signed_v<I> && sizeof(I) == 8 ? std::numeric_limits<I>::min() : 0;
    if (v >= high) return std::numeric_limits<I>::max();
    if (v <= (std::is_signed_v<I> ? -high : -1.0f)) return std::numeric_limits<I>::min();
    return static_cast<I>(v);
}
ULPGATE_INLINE u32 pair(u32 low, u32 high) { return low | high << 16; }
inline u32 e4m3_saturated(f32 v) {
    if (v != v) return 0x7f;
    const f32 bounded = v > 448.0f ? 448.0f : v < -448.0f ? -448.0f : v;
    return E4m3::encode(bounded);
}

void add_floats(OpcodeTable& t) {
    t.add("cvt.f32.f16", pure<[](b16 a) { return from_fp16(a.bits); }>());
    t.add("cvt.f32.bf16", pure<[](b16 a) { return from_bf16(a.bits); }>());
    t.add("cvt.rn.f16.f32", pure<[](f32 a) { return b16{to_fp16(a)}; }>());
    t.add("cvt.rn.bf16.f32", pure<[](f32 a) { return b16{to_bf16(a)}; }>());
    t.add("cvt.rz.bf16.f32", pure<[](f32 a) { return b16{to_bf16_toward_zero(a)}; }>());
    t.add("cvt.rn.f16x2.f32", pure<[](f32 a, f32 b) { return pair(to_fp16(b), to_fp16(a)); }>());
    t.add("cvt.rn.bf16x2.f32", pure<[](f32 a, f32 b) { return pair(to_bf16(b), to_bf16(a)); }>());
    t.add("cvt.rz.bf16x2.f32", pure<[](f32 a, f32 b) { return pair(to_bf16_toward_zero(b), to_bf16_toward_zero(a)); }>());
    t.add("cvt.rn.satfinite.e4m3x2.f32", pure<[](f32 a, f32 b) { return b16{e4m3_saturated(b) | e4m3_saturated(a) << 8}; }>());
    t.add("cvt.f64.f32", pure<[](f32 a) { return nan_as_one(static_cast<f64>(a)); }>());
    t.add("cvt.rn.f32.f64", pure<[](f64 a) { return nan_as_one(static_cast<f32>(a)); }>());
    t.add("cvt.rn.ftz.f32.f64", pure<[](f64 a) { return nan_as_one(flush(static_cast<f32>(a))); }>());
    t.add("cvt.ftz.f64.f32", pure<[](f32 a) { return nan_as_one(static_cast<f64>(flush(a))); }>());
}

void add_floats_and_integers(OpcodeTable& t) {
    t.add("cvt.rn.f32.s32", pure<[](i32 a) { return static_cast<f32>(a); }>());
    t.add("cvt.rn.f32.u32", pure<[](u32 a) { return static_cast<f32>(a); }>());
    t.add("cvt.rn.f32.s64", pure<[](i64 a) { return static_cast<f32>(a); }>());
    t.add("cvt.rn.f32.u64", pure<[](u64 a) { return static_cast<f32>(a); }>());
    t.add("cvt.rn.f32.u16", pure<[](b16 a) { return static_cast<f32>(a.bits); }>());
    t.add("cvt.rn.f64.s32", pure<[](i32 a) { return static_cast<f64>(a); }>());
    t.add("cvt.rn.f64.u32", pure<[](u32 a) { return static_cast<f64>(a); }>());
    t.add("cvt.rn.f64.s64", pure<[](i64 a) { return static_cast<f64>(a); }>());
    t.add("cvt.rzi.s32.f32", pure<[](f32 a) { return toward_zero<i32>(a); }>());
    t.add("cvt.rzi.u32.f32", pure<[](f32 a) { return toward_zero<u32>(a); }>());
    t.add("cvt.rzi.s64.f32", pure<[](f32 a) { return toward_zero<i64>(a); }>());
}

void add_integers(OpcodeTable& t) {
    t.add("cvt.s64.s32 cvt.u64.s32", pure<[](i32 a) { return i64{a}; }>());
    t.add("cvt.u64.u32 cvt.s64.u32", pure<[](u32 a) { return u64{a}; }>());
    t.add("cvt.u32.u64 cvt.s32.s64 cvt.s32.u64 cvt.u32.s64", pure<[](u64 a) { return static_cast<u32>(a); }>());
    t.add("cvt.u32.u16 cvt.s32.u16", pure<[](b16 a) { return a.bits; }>());
    t.add("cvt.s32.s16 cvt.u32.s16", pure<[](b16 a) { return static_cast<u32>(static_cast<i32>(static_cast<i16>(a.bits))); }>());
    t.add("cvt.u16.u32 cvt.s16.s32 cvt.u16.s32 cvt.s16.u32", pure<[](u32 a) { return b16{a & 0xffffu}; }>());
    t.add("cvt.u16.u64 cvt.s16.s64 cvt.u16.s64", pure<[](u64 a) { return b16{static_cast<u32>(a) & 0xffffu}; }>());
    t.add("cvt.u64.u16", pure<[](b16 a) { return u64{a.bits}; }>());
    t.add("cvt.s64.s16", pure<[](b16 a) { return static_cast<i64>(static_cast<i16>(a.bits)); }>());
    t.add("cvt.u32.u8", pure<[](u32 a) { return a & 255u; }>());
    t.add("cvt.s32.s8", pure<[](u32 a) { return static_cast<i32>(static_cast<std::int8_t>(a & 255u)); }>());
    // Addresses are generic already: global memory and the host's pointers are one space. Shared addresses are not.
    t.add("cvta.to.global.u64 cvta.global.u64", pure<[](u64 a) { return a; }>());
}

void add(OpcodeTable& t) {
    add_floats(t);
    add_floats_and_integers(t);
    add_integers(t);
}

}  // namespace

PIECE(ptx::OpcodeGroup, convert) = {"conversions", add};

}  // namespace ulpgate::opcodes
