// bf16, fp16, f32 and e4m3 (fn: no infinities, one NaN a sign) as one template over (exponent, mantissa) bits.
//
// A word is the storage's bits in the low end of an unsigned integer. Every value is exact in float. Rounding is to
// nearest, ties to even (IEEE 754-2019, 4.3.1), in one step from float or double by integer arithmetic: no rounding
// mode is read, no second type is passed through. Above the largest finite value plus half an ulp the result is Inf,
// or NaN where the format has no Inf. A NaN becomes the quiet positive NaN.
#pragma once
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ulpgate {

// The same numbers as in ulpgate_kernel.h: DLPack type code << 8 | bits.
enum class Type : std::uint32_t { none = 0, i8 = 0x0008, i64 = 0x0040, fp16 = 0x0210, f32 = 0x0220, bf16 = 0x0410, e4m3 = 0x0a08 };

constexpr std::string_view name(Type t) {
    switch (t) {
    case Type::i8: return "i8";
    case Type::i64: return "i64";
    case Type::fp16: return "fp16";
    case Type::f32: return "f32";
    case Type::bf16: return "bf16";
    case Type::e4m3: return "e4m3";
    case Type::none: break;
    }
    return "none";
}
constexpr int bytes(Type t) { return static_cast<int>(static_cast<std::uint32_t>(t) & 0xff) / 8; }

enum class Top { ieee, fn };  // what the highest exponent holds: Inf and NaN; finite values and one NaN

template <int ExponentBits, int MantissaBits, Top top = Top::ieee>
struct Format {
    static constexpr int exponent_bits = ExponentBits, mantissa_bits = MantissaBits;
    static constexpr int precision = MantissaBits + 1;  // significand bits, the implicit one included
    static constexpr int bits = 1 + ExponentBits + MantissaBits;
    static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    static constexpr int emin = 1 - bias;  // exponent of the smallest normal value 2^emin
    static constexpr int emax = top == Top::ieee ? bias : bias + 1;
    static constexpr bool has_inf = top == Top::ieee;
    using Word = std::conditional_t<bits == 8, std::uint8_t, std::conditional_t<bits == 16, std::uint16_t, std::uint32_t>>;

    static constexpr Word sign_bit = static_cast<Word>(Word{1} << (bits - 1));
    static constexpr Word abs_mask = static_cast<Word>(sign_bit - 1);
    static constexpr Word exponent_mask = static_cast<Word>(((std::uint32_t{1} << ExponentBits) - 1) << MantissaBits);
    static constexpr Word max_word = static_cast<Word>(has_inf ? exponent_mask - 1 : abs_mask - 1);
    static constexpr Word inf_word = exponent_mask;  // only where has_inf
    static constexpr Word nan_word = static_cast<Word>(has_inf ? exponent_mask | (Word{1} << (MantissaBits - 1)) : abs_mask);
    static constexpr Word min_normal_word = static_cast<Word>(Word{1} << MantissaBits);
    static constexpr Word min_subnormal_word = 1;

    static constexpr bool is_nan(Word w) { return has_inf ? (w & abs_mask) > inf_word : (w & abs_mask) == abs_mask; }
    static constexpr bool is_inf(Word w) { return has_inf && (w & abs_mask) == inf_word; }
    static constexpr bool is_finite(Word w) { return (w & abs_mask) <= max_word; }
    static constexpr bool is_zero(Word w) { return (w & abs_mask) == 0; }
    static constexpr bool is_subnormal(Word w) { return (w & abs_mask) < min_normal_word && !is_zero(w); }

    static constexpr float decode(Word w) {
        if constexpr (bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(w));
        else if constexpr (ExponentBits == 8) return std::bit_cast<float>(static_cast<std::uint32_t>(w) << (32 - bits));
        else {
            const std::uint32_t sign = static_cast<std::uint32_t>(w & sign_bit) << (32 - bits);
            const Word a = w & abs_mask;
            if (is_nan(w)) return std::bit_cast<float>(sign | 0x7fc00000u);
            if (is_inf(w)) return std::bit_cast<float>(sign | 0x7f800000u);
            if (a >= min_normal_word)
                return std::bit_cast<float>(sign | ((static_cast<std::uint32_t>(a) << (23 - MantissaBits)) +
                                                    (static_cast<std::uint32_t>(127 - bias) << 23)));
            // a * 2^(emin - MantissaBits), exact: both factors are powers or small integers
            const float unit = std::bit_cast<float>(static_cast<std::uint32_t>(127 + emin - MantissaBits) << 23);
            return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(a) * unit) | sign);
        }
    }

    template <std::floating_point S>
    static constexpr Word encode(S v) {
        static_assert(std::is_same_v<S, float> || std::is_same_v<S, double>);
        using U = std::conditional_t<std::is_same_v<S, float>, std::uint32_t, std::uint64_t>;
        constexpr int source_mantissa = std::is_same_v<S, float> ? 23 : 52;
        constexpr int source_bias = std::is_same_v<S, float> ? 127 : 1023;
        const U b = std::bit_cast<U>(v), a = b & (~U{0} >> 1);
        const Word sign = b >> (sizeof(U) * 8 - 1) ? sign_bit : Word{0};
        constexpr U source_inf = static_cast<U>(2 * source_bias + 1) << source_mantissa;
        if (a > source_inf) return nan_word;
        if constexpr (bits == 32 && source_mantissa == 23) return static_cast<Word>(b);
        const Word over = static_cast<Word>(has_inf ? inf_word | sign : nan_word | sign);
        if (a == source_inf) return over;
        const int field = static_cast<int>(a >> source_mantissa);
        const int e = (field ? field : 1) - source_bias;
        const U m = (a & ((U{1} << source_mantissa) - 1)) | (field ? U{1} << source_mantissa : U{0});
        const int top_e = e > emin ? e : emin;
        const int k = source_mantissa - MantissaBits + (top_e - e);  // bits to round away
        if (k > source_mantissa + 2) return sign;                     // below a quarter of the smallest subnormal
        U r = m >> k;
        if (k > 0) {
            const U rest = m & ((U{1} << k) - 1), half = U{1} << (k - 1);
            r += rest > half || (rest == half && (r & 1));
        }
        const U code = (static_cast<U>(top_e - emin) << MantissaBits) + r;
        return code > max_word ? over : static_cast<Word>(code | sign);
    }

    // Nearest value of this format, as a float.
    static constexpr float round(float v) { return decode(encode(v)); }
    static constexpr float round(double v) { return decode(encode(v)); }

    // Position on the line of values: -0 and +0 are both 0, neighbours differ by one. Not for NaN.
    static constexpr std::int64_t ordinal(Word w) {
        const auto a = static_cast<std::int64_t>(w & abs_mask);
        return w & sign_bit ? -a : a;
    }
    static constexpr Word from_ordinal(std::int64_t o) {
        return static_cast<Word>(o < 0 ? static_cast<Word>(-o) | sign_bit : static_cast<Word>(o));
    }
};

using Bf16 = Format<8, 7>;
using Fp16 = Format<5, 10>;
using F32 = Format<8, 23>;
using E4m3 = Format<4, 3, Top::fn>;

template <class F>
constexpr Type type_of = std::is_same_v<F, Bf16>   ? Type::bf16
                         : std::is_same_v<F, Fp16> ? Type::fp16
                         : std::is_same_v<F, F32>  ? Type::f32
                                                   : Type::e4m3;

// Calls f(Bf16{}), f(Fp16{}), f(F32{}) or f(E4m3{}) by the type; any other type is a caller's bug and ends the program.
template <class Fn>
constexpr decltype(auto) with_format(Type t, Fn&& f) {
    switch (t) {
    case Type::bf16: return f(Bf16{});
    case Type::fp16: return f(Fp16{});
    case Type::f32: return f(F32{});
    case Type::e4m3: return f(E4m3{});
    default: break;
    }
    __builtin_trap();
}

// The same by run-time type; a word sits in the low bits.
constexpr float decode(Type t, std::uint32_t w) {
    return with_format(t, [w](auto f) { return f.decode(static_cast<typename decltype(f)::Word>(w)); });
}
constexpr std::uint32_t encode(Type t, std::floating_point auto v) {
    return with_format(t, [v](auto f) { return static_cast<std::uint32_t>(f.encode(v)); });
}
constexpr float round_to(Type t, std::floating_point auto v) {
    return with_format(t, [v](auto f) { return f.round(v); });
}
constexpr int precision(Type t) {
    return with_format(t, [](auto f) { return f.precision; });
}

}  // namespace ulpgate
