// The roundings of round.truncate and round.half_up as the library was compiled: a compiler has dropped the
// mask of such a truncation before.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

Narrow narrow_of(std::string_view kind) {
    Model m;
    find_fault(kind)->change(m);
    return m.narrow;
}

// |v| over the spacing of the format at |v|, as a double: exact.
template <class F>
double spacing(float v) {
    int e = 0;
    std::frexp(v, &e);
    return std::ldexp(1.0, std::max(e - 1, F::emin) - F::mantissa_bits);
}

// Calls check(v, narrowed v) for blocks of f32 words 0x1_0000_0000 / step apart.
template <class Check>
void over_words(Narrow narrow, Type t, std::uint32_t step, Check check) {
    std::vector<float> in(1 << 12), out(in.size());
    for (std::uint64_t w = 0; w < 1ull << 32;) {
        for (float& v : in) v = std::bit_cast<float>(static_cast<std::uint32_t>(w)), w += step;
        out = in;
        narrow(t, out);
        for (std::size_t k = 0; k < in.size(); ++k) check(in[k], out[k]);
    }
}

TEST(Narrow, TruncationIsTheMaskInBf16) {
    std::int64_t wrong = 0;
    const auto narrow = narrow_of("round.truncate");
    const auto check = [&](float v, float t) {
        if (std::isnan(v))
            wrong += !std::isnan(t);
        else
            wrong += std::bit_cast<std::uint32_t>(t) != (std::bit_cast<std::uint32_t>(v) & 0xffff0000u);
    };
    over_words(narrow, Type::bf16, 1021, check);
    for (std::uint32_t low : {0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})  // beside every word of bf16
        for (std::uint32_t high = 0; high < 0x10000; ++high) {
            float v = std::bit_cast<float>(high << 16 | low), t = v;
            narrow(Type::bf16, {&t, 1});
            check(v, t);
        }
    EXPECT_EQ(wrong, 0);
}

template <class F>
std::int64_t wrong_roundings(std::string_view kind, std::uint32_t step, double (*round)(double)) {
    std::int64_t wrong = 0;
    over_words(narrow_of(kind), type_of<F>, step, [&](float v, float t) {
        if (std::isnan(v)) {
            wrong += !std::isnan(t);
            return;
        }
        const double most = F::decode(F::max_word), u = spacing<F>(v);
        double want = std::isinf(v) ? std::abs(v) : round(std::abs(static_cast<double>(v)) / u) * u;
        if (want > most) want = kind == "round.truncate" && !std::isinf(v) ? most : INFINITY;
        wrong += std::abs(static_cast<double>(t)) != want || std::signbit(t) != std::signbit(v);
    });
    return wrong;
}

// std::trunc and std::round (ties away) of the exact quotient by the spacing.
TEST(Narrow, EqualsArithmeticInF64) {
    EXPECT_EQ(wrong_roundings<Fp16>("round.truncate", 1021, std::trunc), 0);
    EXPECT_EQ(wrong_roundings<Bf16>("round.truncate", 4093, std::trunc), 0);
    EXPECT_EQ(wrong_roundings<Fp16>("round.half_up", 1024, std::round),
              0);  // 1024: every tie of fp16 among them
    EXPECT_EQ(wrong_roundings<Bf16>("round.half_up", 1024, std::round), 0);
    EXPECT_EQ(wrong_roundings<F32>("round.truncate", 65537, [](double v) { return v; }), 0);
}

}  // namespace
}  // namespace ulpgate
