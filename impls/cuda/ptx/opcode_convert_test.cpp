// Every conversion, over all 2^16 words where the source has 16 bits, and over all 2^16 upper halves with lower halves at the
// edges of rounding where it has 32 or, for integers, 64.
#include <algorithm>
#include <cmath>
#include <functional>

#include "impls/cuda/ptx/lanes_test.hpp"
#include "impls/cuda/ptx/opcode.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate::ptx::testing {
namespace {

Values halves() {
    Values v(65536);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = k;
    return v;
}
Values words() {
    Values v;
    for (std::uint64_t k = 0; k < 65536; ++k)
        for (const std::uint64_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) v.push_back(k << 16 | low);
    return v;
}
f32 real_of(std::uint64_t w) { return std::bit_cast<f32>(static_cast<u32>(w)); }

// The integer of `bits` significant bits nearest to a, ties to even, by integer arithmetic: exact in double up to 53 bits.
f64 nearest(std::uint64_t a, int bits) {
    const int k = std::max(0, 64 - std::countl_zero(a) - bits);
    std::uint64_t m = a >> k;
    const std::uint64_t rest = a & ((std::uint64_t{1} << k) - 1), half = k ? std::uint64_t{1} << (k - 1) : 0;
    m += k && (rest > half || (rest == half && (m & 1)));
    return std::ldexp(static_cast<f64>(m), k);
}
f64 nearest_signed(std::uint64_t w, int bits) { return w >> 63 ? -nearest(0 - w, bits) : nearest(w, bits); }

void expect(const std::string& opcode, int out, int in, const Values& x, const std::function<std::uint64_t(std::uint64_t)>& right) {
    const auto y = apply(opcode, out, {in}, {x});
    for (std::size_t k = 0; k < x.size(); ++k) ASSERT_EQ(y[k], right(x[k])) << opcode << " of " << std::hex << x[k];
}
template <class F>
std::uint64_t narrowed(f32 v) {
    return std::isnan(v) ? 0x7fffu : F::encode(v);
}
std::uint64_t e4m3(f32 v) {
    if (std::isnan(v)) return 0x7f;
    return E4m3::encode(std::fabs(v) > 448 ? std::copysign(448.0f, v) : v);
}
std::uint64_t truncated_bf16(f32 v) { return std::isnan(v) ? 0x7fffu : std::bit_cast<u32>(v) >> 16; }

TEST(PtxConversions, HalvesToFloat) {
    expect("cvt.f32.f16", 32, 16, halves(), [](auto w) { return std::isnan(Fp16::decode(static_cast<u16>(w))) ? 0x7fffffffu : std::bit_cast<u32>(Fp16::decode(static_cast<u16>(w))); });
    expect("cvt.f32.bf16", 32, 16, halves(), [](auto w) { return w << 16; });
}
TEST(PtxConversions, FloatToHalves) {
    const auto x = words();
    expect("cvt.rn.f16.f32", 16, 32, x, [](auto w) { return narrowed<Fp16>(real_of(w)); });
    expect("cvt.rn.bf16.f32", 16, 32, x, [](auto w) { return narrowed<Bf16>(real_of(w)); });
    expect("cvt.rz.bf16.f32", 16, 32, x, [](auto w) { return truncated_bf16(real_of(w)); });
}
TEST(PtxConversions, FloatsToPairsTheFirstAbove) {
    auto a = words();
    Values b(a.rbegin(), a.rend());
    const auto check = [&](const std::string& opcode, int out, int shift, std::uint64_t (*one)(f32)) {
        const auto y = apply(opcode, out, {32, 32}, {a, b});
        for (std::size_t k = 0; k < a.size(); ++k) ASSERT_EQ(y[k], one(real_of(b[k])) | one(real_of(a[k])) << shift) << opcode << " element " << k;
    };
    check("cvt.rn.f16x2.f32", 32, 16, narrowed<Fp16>);
    check("cvt.rn.bf16x2.f32", 32, 16, narrowed<Bf16>);
    check("cvt.rz.bf16x2.f32", 32, 16, truncated_bf16);
    check("cvt.rn.satfinite.e4m3x2.f32", 16, 8, e4m3);
}
TEST(PtxConversions, DoubleAndFloat) {
    const auto x = words();
    expect("cvt.f64.f32", 64, 32, x, [](auto w) { return std::isnan(real_of(w)) ? 0x7fffffffffffffffull : std::bit_cast<u64>(static_cast<f64>(real_of(w))); });
    Values wide;
    for (const auto w : x) wide.push_back(std::bit_cast<u64>(static_cast<f64>(real_of(w)) * (1 + 0x1p-24) + 0x1p-150));
    const auto flushed = [](std::uint64_t w) { return w & 0x7f800000u ? w : w & 0x80000000u; };
    expect("cvt.ftz.f64.f32", 64, 32, x, [&](auto w) { return std::isnan(real_of(w)) ? 0x7fffffffffffffffull : std::bit_cast<u64>(static_cast<f64>(real_of(flushed(w)))); });
    expect("cvt.rn.ftz.f32.f64", 32, 64, wide, [&](auto w) { const f64 v = std::bit_cast<f64>(w); return std::isnan(v) ? 0x7fffffffu : flushed(F32::encode(v)); });
    expect("cvt.rn.f32.f64", 32, 64, wide, [](auto w) { const f64 v = std::bit_cast<f64>(w); return std::isnan(v) ? 0x7fffffffu : F32::encode(v); });
}
TEST(PtxConversions, IntegersToFloat) {
    const auto x = words();
    expect("cvt.rn.f32.s32", 32, 32, x, [](auto w) { return F32::encode(static_cast<f64>(static_cast<i32>(static_cast<u32>(w)))); });
    expect("cvt.rn.f32.u32", 32, 32, x, [](auto w) { return F32::encode(static_cast<f64>(static_cast<u32>(w))); });
    expect("cvt.rn.f32.u16", 32, 16, halves(), [](auto w) { return std::bit_cast<u32>(static_cast<f32>(w)); });
    expect("cvt.rn.f64.u32", 64, 32, x, [](auto w) { return std::bit_cast<u64>(static_cast<f64>(w)); });
    expect("cvt.rn.f64.s32", 64, 32, x, [](auto w) { return std::bit_cast<u64>(static_cast<f64>(static_cast<i32>(static_cast<u32>(w)))); });
    // 64 bits: the nearest by integer arithmetic.
    Values wide;
    for (const auto w : x) wide.push_back(w << 31 ^ w);
    expect("cvt.rn.f32.u64", 32, 64, wide, [](auto w) { return std::uint64_t{std::bit_cast<u32>(static_cast<f32>(nearest(w, 24)))}; });
    expect("cvt.rn.f32.s64", 32, 64, wide, [](auto w) { return std::uint64_t{std::bit_cast<u32>(static_cast<f32>(nearest_signed(w, 24)))}; });
    expect("cvt.rn.f64.s64", 64, 64, wide, [](auto w) { return std::bit_cast<u64>(nearest_signed(w, 53)); });
    const auto s = apply("cvt.rn.f32.s64", 32, {64}, {{0xffffffffffffffffull, 0x8000000000000000ull, 0x7fffffffffffffffull, 0x0000008000008000ull, 0x0000008000008001ull}});
    EXPECT_EQ(s, (Values{0xbf800000u, 0xdf000000u, 0x5f000000u, 0x53000000u, 0x53000001u}));
}
TEST(PtxConversions, FloatToIntegersTowardsZeroAndSaturated) {
    expect("cvt.rzi.s32.f32", 32, 32, words(), [](auto w) -> std::uint64_t {
        const f64 v = real_of(w);
        return static_cast<u32>(std::isnan(v) ? 0 : v >= 0x1p31 ? 0x7fffffff : v < -0x1p31 ? -0x7fffffff - 1 : static_cast<i32>(v));
    });
    expect("cvt.rzi.s64.f32", 64, 32, words(), [](auto w) -> std::uint64_t {
        const f64 v = real_of(w);
        return std::isnan(v) || v < -0x1p63 ? 0x8000000000000000ull : v >= 0x1p63 ? 0x7fffffffffffffffull : static_cast<u64>(static_cast<i64>(v));
    });
    expect("cvt.rzi.u32.f32", 32, 32, words(), [](auto w) -> std::uint64_t {
        const f64 v = real_of(w);
        return std::isnan(v) || v <= 0 ? 0 : v >= 0x1p32 ? ~0u : static_cast<u32>(v);
    });
}
TEST(PtxConversions, Integers) {
    const auto h = halves(), x = words();
    expect("cvt.u32.u16", 32, 16, h, [](auto w) { return w; });
    expect("cvt.s32.s16", 32, 16, h, [](auto w) { return static_cast<u32>(w & 0x8000 ? w | 0xffff0000u : w); });
    expect("cvt.u32.u8", 32, 16, h, [](auto w) { return w & 0xff; });
    expect("cvt.s32.s8", 32, 16, h, [](auto w) { return w & 0x80 ? (w & 0xff) | 0xffffff00u : w & 0xff; });
    expect("cvta.to.global.u64", 64, 64, {0x123456789abcull}, [](auto w) { return w; });
    expect("cvt.u64.u16", 64, 16, h, [](auto w) { return w; });
    expect("cvt.s64.s16", 64, 16, h, [](auto w) { return w & 0x8000 ? w | 0xffffffffffff0000ull : w; });
    expect("cvt.u16.u32", 16, 32, x, [](auto w) { return w & 0xffff; });
    expect("cvt.s64.s32", 64, 32, x, [](auto w) { return w & 0x80000000u ? w | 0xffffffff00000000ull : w; });
    expect("cvt.u64.u32", 64, 32, x, [](auto w) { return w; });
    Values wide;
    for (const auto w : x) wide.push_back(w << 20 ^ w);
    expect("cvt.u32.u64", 32, 64, wide, [](auto w) { return w & 0xffffffffu; });
    expect("cvt.u16.u64", 16, 64, wide, [](auto w) { return w & 0xffffu; });
}

}  // namespace
}  // namespace ulpgate::ptx::testing
