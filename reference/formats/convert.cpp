#include "reference/formats/convert.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "reference/base/dispatch.hpp"

namespace ulpgate {
namespace {

// The word in the low bits of a 32-bit lane. Selections instead of branches, shifts below 32: every compiler vectorises it.
template <class F>
ULPGATE_INLINE std::uint32_t encode_lane(std::uint32_t b) {
    constexpr std::uint32_t sign_mask = F::sign_bit, nan = F::nan_word, over_word = F::has_inf ? F::inf_word : F::nan_word;
    constexpr std::uint32_t drop = 23 - F::mantissa_bits, lowest = F::emin + 127;  // exponent field of the smallest normal
    const std::uint32_t a = b & 0x7fffffffu, sign = (b >> (32 - F::bits)) & sign_mask;
    if constexpr (F::bits == 32) return a > 0x7f800000u ? nan : b;
    else if constexpr (F::exponent_bits == 8) {  // same exponents as f32, subnormals included: round the bits
        const std::uint32_t r = (a + ((1u << (drop - 1)) - 1) + ((a >> drop) & 1)) >> drop;
        return a > 0x7f800000u ? nan : r | sign;
    } else {
        const std::uint32_t field = a >> 23, e = field ? field : 1, top = e > lowest ? e : lowest;
        const std::uint32_t m = (a & 0x7fffffu) | (field ? 0x800000u : 0);
        const std::uint32_t below = drop + (top - e), k = below < 25 ? below : 25;  // 25 and more round to zero
        const std::uint32_t r = (m + ((1u << (k - 1)) - 1) + ((m >> k) & 1)) >> k;
        const std::uint32_t code = ((top - lowest) << F::mantissa_bits) + r;
        const std::uint32_t word = (code > F::max_word ? over_word : code) | sign;
        return a > 0x7f800000u ? nan : word;
    }
}

template <class F>
ULPGATE_INLINE std::uint32_t decode_lane(std::uint32_t w) {
    if constexpr (F::exponent_bits == 8) return w << (32 - F::bits);
    else {
        constexpr std::uint32_t abs_mask = F::abs_mask, sign_mask = F::sign_bit, smallest = F::min_normal_word;
        constexpr float unit = F::decode(1);
        const std::uint32_t a = w & abs_mask, sign = (w & sign_mask) << (32 - F::bits);
        const std::uint32_t normal = (a << (23 - F::mantissa_bits)) + (static_cast<std::uint32_t>(127 - F::bias) << 23);
        const auto subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(a)) * unit);
        std::uint32_t v = a < smallest ? subnormal : normal;
        if constexpr (F::has_inf) v = a >= F::inf_word ? (a > F::inf_word ? 0x7fc00000u : 0x7f800000u) : v;
        else v = a == abs_mask ? 0x7fc00000u : v;
        return v | sign;
    }
}

template <class F>
ULPGATE_INLINE void encode_loop(const float* in, std::size_t n, std::byte* out) {
    using Word = typename F::Word;
    for (std::size_t j = 0; j < n; ++j) {
        const auto w = static_cast<Word>(encode_lane<F>(std::bit_cast<std::uint32_t>(in[j])));
        std::memcpy(out + j * sizeof w, &w, sizeof w);
    }
}

template <class F>
ULPGATE_INLINE void decode_loop(const std::byte* in, std::size_t n, float* out) {
    for (std::size_t j = 0; j < n; ++j) {
        typename F::Word w;
        std::memcpy(&w, in + j * sizeof w, sizeof w);
        out[j] = std::bit_cast<float>(decode_lane<F>(w));
    }
}

template <class F>
ULPGATE_INLINE void round_loop(float* v, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j)
        v[j] = std::bit_cast<float>(decode_lane<F>(encode_lane<F>(std::bit_cast<std::uint32_t>(v[j]))));
}

template <class F>
struct Plain {
    static void encode(const float* in, std::size_t n, std::byte* out) { encode_loop<F>(in, n, out); }
    static void decode(const std::byte* in, std::size_t n, float* out) { decode_loop<F>(in, n, out); }
    static void round(float* v, std::size_t n) { round_loop<F>(v, n); }
};

template <class F>
struct Avx2 {
    ULPGATE_AVX2 static void encode(const float* in, std::size_t n, std::byte* out) { encode_loop<F>(in, n, out); }
    ULPGATE_AVX2 static void decode(const std::byte* in, std::size_t n, float* out) { decode_loop<F>(in, n, out); }
    ULPGATE_AVX2 static void round(float* v, std::size_t n) { round_loop<F>(v, n); }
};

}  // namespace

void encode_words(Type t, std::span<const float> in, std::byte* out) {
    if (!has_avx2()) return portable::encode_words(t, in, out);
    with_format(t, [&](auto f) { Avx2<decltype(f)>::encode(in.data(), in.size(), out); });
}

void decode_words(Type t, const std::byte* in, std::span<float> out) {
    if (!has_avx2()) return portable::decode_words(t, in, out);
    with_format(t, [&](auto f) { Avx2<decltype(f)>::decode(in, out.size(), out.data()); });
}

void round_values(Type t, std::span<float> v) {
    if (!has_avx2()) return portable::round_values(t, v);
    with_format(t, [&](auto f) { Avx2<decltype(f)>::round(v.data(), v.size()); });
}

void portable::encode_words(Type t, std::span<const float> in, std::byte* out) {
    with_format(t, [&](auto f) { Plain<decltype(f)>::encode(in.data(), in.size(), out); });
}

void portable::decode_words(Type t, const std::byte* in, std::span<float> out) {
    with_format(t, [&](auto f) { Plain<decltype(f)>::decode(in, out.size(), out.data()); });
}

void portable::round_values(Type t, std::span<float> v) {
    with_format(t, [&](auto f) { Plain<decltype(f)>::round(v.data(), v.size()); });
}

}  // namespace ulpgate
