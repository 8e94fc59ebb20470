#include "reference/formats/convert.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "reference/formats/lanes8.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate {
namespace {

// Eight words at a time, each in the low bits of a 32-bit lane. Selections instead of branches, shifts below 32.
constexpr std::size_t lanes = 8;
using U8 = std::uint32_t __attribute__((vector_size(32)));
using I8 = std::int32_t __attribute__((vector_size(32)));
using F8 = float __attribute__((vector_size(32)));
template <class Word>
struct WordsOf {
    using type __attribute__((vector_size(lanes * sizeof(Word)))) = Word;
};
template <class Word>
using Words = typename WordsOf<Word>::type;

template <class F>
ULPGATE_INLINE void encode_lanes(const U8& b, U8& word) {
    constexpr std::uint32_t sign_mask = F::sign_bit, over_word = F::has_inf ? F::inf_word : F::nan_word;
    constexpr std::uint32_t drop = 23 - F::mantissa_bits, lowest = F::emin + 127;  // exponent field of the smallest normal
    const U8 nan = U8{} + F::nan_word;
    const U8 a = b & 0x7fffffffu, sign = (b >> (32 - F::bits)) & sign_mask;
    if constexpr (F::bits == 32) word = a > 0x7f800000u ? nan : b;
    else if constexpr (F::exponent_bits == 8) {  // same exponents as f32, subnormals included: round the bits
        const U8 r = (a + ((1u << (drop - 1)) - 1) + ((a >> drop) & 1)) >> drop;
        word = a > 0x7f800000u ? nan : r | sign;
    } else {
        const U8 one = U8{} + 1, smallest = U8{} + lowest, most = U8{} + 25;  // 25 bits and more round to zero
        const U8 field = a >> 23, e = field > one ? field : one, top = e > smallest ? e : smallest;
        const U8 m = (a & 0x7fffffu) + ((field > 0 ? one : U8{}) << 23), below = drop + (top - e);
        const U8 k = below < most ? below : most;
        const U8 r = (m + ((one << (k - 1)) - 1) + ((m >> k) & 1)) >> k;
        const U8 code = ((top - lowest) << F::mantissa_bits) + r;
        const U8 finite = code > F::max_word ? U8{} + over_word : code;
        word = a > 0x7f800000u ? nan : finite | sign;
    }
}

template <class F>
ULPGATE_INLINE void decode_lanes(const U8& w, U8& v) {
    if constexpr (F::exponent_bits == 8) v = w << (32 - F::bits);
    else {
        constexpr float unit = F::decode(1);
        const U8 a = w & std::uint32_t{F::abs_mask}, sign = (w & std::uint32_t{F::sign_bit}) << (32 - F::bits);
        const U8 normal = (a << (23 - F::mantissa_bits)) + (static_cast<std::uint32_t>(127 - F::bias) << 23);
        const F8 subnormal = __builtin_convertvector(reinterpret_cast<I8>(a), F8) * unit;
        const U8 finite = a < F::min_normal_word ? reinterpret_cast<U8>(subnormal) : normal;
        const U8 nan = U8{} + 0x7fc00000u, inf = U8{} + 0x7f800000u;
        if constexpr (F::has_inf) v = (a > F::max_word ? (a > F::inf_word ? nan : inf) : finite) | sign;
        else v = (a > F::max_word ? nan : finite) | sign;
    }
}

template <class F>
ULPGATE_INLINE void encode_block(const float* in, std::byte* out) {
    U8 b, word;
    std::memcpy(&b, in, sizeof b);
    encode_lanes<F>(b, word);
    const auto narrow = __builtin_convertvector(word, Words<typename F::Word>);
    std::memcpy(out, &narrow, sizeof narrow);
}

template <class F>
ULPGATE_INLINE void decode_block(const std::byte* in, float* out) {
    Words<typename F::Word> narrow;
    std::memcpy(&narrow, in, sizeof narrow);
    U8 v;
    decode_lanes<F>(__builtin_convertvector(narrow, U8), v);
    std::memcpy(out, &v, sizeof v);
}

template <class F>
ULPGATE_INLINE void encode_loop(const float* in, std::size_t n, std::byte* out) {
    constexpr std::size_t size = sizeof(typename F::Word);
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) encode_block<F>(in + j, out + j * size);
    if (j == n) return;
    float rest[lanes] = {};
    std::byte words[lanes * size];
    std::memcpy(rest, in + j, (n - j) * sizeof *in);
    encode_block<F>(rest, words);
    std::memcpy(out + j * size, words, (n - j) * size);
}

template <class F>
ULPGATE_INLINE void decode_loop(const std::byte* in, std::size_t n, float* out) {
    constexpr std::size_t size = sizeof(typename F::Word);
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) decode_block<F>(in + j * size, out + j);
    if (j == n) return;
    float rest[lanes];
    std::byte words[lanes * size] = {};
    std::memcpy(words, in + j * size, (n - j) * size);
    decode_block<F>(words, rest);
    std::memcpy(out + j, rest, (n - j) * sizeof *out);
}

template <class F>
ULPGATE_INLINE void round_block(float* v) {
    U8 b, word;
    std::memcpy(&b, v, sizeof b);
    encode_lanes<F>(b, word);
    decode_lanes<F>(word, b);
    std::memcpy(v, &b, sizeof b);
}

template <class F>
ULPGATE_INLINE void round_loop(float* v, std::size_t n) {
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) round_block<F>(v + j);
    if (j == n) return;
    float rest[lanes] = {};
    std::memcpy(rest, v + j, (n - j) * sizeof *v);
    round_block<F>(rest);
    std::memcpy(v + j, rest, (n - j) * sizeof *v);
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

#if defined(__x86_64__)
template <class F>
struct Halves {  // bf16 and fp16
    ULPGATE_AVX2 static void encode(const float* in, std::size_t n, std::byte* out) {
        std::size_t j = 0;
        for (; j + lanes <= n; j += lanes)
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * j), lanes8::Lanes<F>::encode(_mm256_loadu_ps(in + j)));
        encode_loop<F>(in + j, n - j, out + 2 * j);
    }
    ULPGATE_AVX2 static void decode(const std::byte* in, std::size_t n, float* out) {
        std::size_t j = 0;
        for (; j + lanes <= n; j += lanes)
            _mm256_storeu_ps(out + j, lanes8::Lanes<F>::decode(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 2 * j))));
        decode_loop<F>(in + 2 * j, n - j, out + j);
    }
    ULPGATE_AVX2 static void round(float* v, std::size_t n) {
        std::size_t j = 0;
        for (; j + lanes <= n; j += lanes) _mm256_storeu_ps(v + j, lanes8::Lanes<F>::round(lanes8::quiet(_mm256_loadu_ps(v + j))));
        for (; j < n; ++j) v[j] = F::round(v[j]);  // one at a time: a bisection asks for one
    }
};
template <>
struct Avx2<Bf16> : Halves<Bf16> {};
template <>
struct Avx2<Fp16> : Halves<Fp16> {};

// Nothing to round: only the NaNs become one.
template <>
struct Avx2<F32> {
    ULPGATE_AVX2 static void encode(const float* in, std::size_t n, std::byte* out) {
        std::size_t j = 0;
        for (; j + lanes <= n; j += lanes) _mm256_storeu_ps(reinterpret_cast<float*>(out + 4 * j), lanes8::quiet(_mm256_loadu_ps(in + j)));
        encode_loop<F32>(in + j, n - j, out + 4 * j);
    }
    static void decode(const std::byte* in, std::size_t n, float* out) { std::memcpy(out, in, 4 * n); }
    ULPGATE_AVX2 static void round(float* v, std::size_t n) {
        std::size_t j = 0;
        for (; j + lanes <= n; j += lanes) _mm256_storeu_ps(v + j, lanes8::quiet(_mm256_loadu_ps(v + j)));
        for (; j < n; ++j) v[j] = F32::round(v[j]);
    }
};
#endif

}  // namespace

void encode_words(Type t, std::span<const float> in, std::byte* out) {
    if (!has_avx2()) return portable::encode_words(t, in, out);
    with_format(t, [&](auto f) { Avx2<decltype(f)>::encode(in.data(), in.size(), out); });
}

std::span<const float> floats_of(Type t, const std::byte* in, std::span<float> room) {
    if (t == Type::f32 && reinterpret_cast<std::uintptr_t>(in) % alignof(float) == 0)
        return {reinterpret_cast<const float*>(in), room.size()};
    decode_words(t, in, room);
    return room;
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
