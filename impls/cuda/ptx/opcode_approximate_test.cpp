// Approximations: low and high are the outermost floats within the bound that PTX ISA 9.0 documents, nearest is the nearest one. The
// exact value comes from long double, 11 bits finer than what the executor computes with.
#include <cmath>
#include <functional>

#include "impls/cuda/ptx/lanes_test.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::ptx::testing {
namespace {

using Exact = std::function<long double(long double, long double)>;
using Slack = std::function<long double(long double x, long double exact)>;

long double ulp(long double v) { return std::ldexp(1.0L, std::ilogb(v) - 23); }
float real_of(std::uint64_t w) { return std::bit_cast<float>(static_cast<std::uint32_t>(w)); }

// Positive values of so many octaves around 1, or within [-3.14, 3.14].
Values spread(int octaves, std::uint64_t stream) {
    Values v;
    Rng rng(21, stream, 0);
    for (int k = 0; k < 4096; ++k) {
        const float f = octaves ? std::ldexp(1.0f + static_cast<float>(rng.below(1u << 23)) * 0x1p-23f, static_cast<int>(rng.below(static_cast<unsigned>(2 * octaves))) - octaves)
                                : (static_cast<float>(rng.below(1u << 24)) - 0x1p23f) * (3.14f * 0x1p-23f);
        v.push_back(std::bit_cast<std::uint32_t>(f));
    }
    return v;
}

void check(const std::string& name, const std::vector<Values>& x, const Exact& exact, const Slack& slack) {
    const std::vector<int> in(x.size(), 32);
    const auto low = apply(name, 32, in, x, "", Approximate::low), mid = apply(name, 32, in, x), high = apply(name, 32, in, x, "", Approximate::high);
    for (std::size_t k = 0; k < mid.size(); ++k) {
        const long double a = real_of(x[0][k]), b = x.size() > 1 ? real_of(x[1][k]) : 0, e = exact(a, b), s = slack(a, e), fine = std::fabs(e) * 0x1p-50L;
        const auto where = [&] { return ::testing::Message() << name << " of " << static_cast<double>(a) << ", " << static_cast<double>(b); };
        const float m = real_of(mid[k]), l = real_of(low[k]), h = real_of(high[k]);
        for (const float to : {-INFINITY, INFINITY}) ASSERT_LE(std::fabs(m - e), std::fabs(std::nextafter(m, to) - e) + fine) << where();
        ASSERT_LE(e - l, s + fine) << where();
        ASSERT_GT(e - std::nextafter(l, -INFINITY), s - fine) << where();
        ASSERT_LE(h - e, s + fine) << where();
        ASSERT_GT(std::nextafter(h, INFINITY) - e, s - fine) << where();
    }
}

const Slack in_ulps_1 = [](long double, long double e) { return ulp(e); }, in_ulps_2 = [](long double, long double e) { return 2 * ulp(e); };
Slack relative(long double r) {
    return [r](long double, long double e) { return std::fabs(e) * r; };
}
Slack absolute(long double a) {
    return [a](long double, long double) { return a; };
}

TEST(PtxApproximations, StayWithinTheirBoundsAndReachThem) {
    check("rcp.approx.f32", {spread(60, 1)}, [](auto x, auto) { return 1 / x; }, in_ulps_1);
    check("sqrt.approx.f32", {spread(60, 2)}, [](auto x, auto) { return std::sqrt(x); }, relative(0x1p-23L));
    check("ex2.approx.f32", {spread(0, 3)}, [](auto x, auto) { return std::exp2(x); }, relative(0x1p-22L));
    check("lg2.approx.f32", {spread(40, 4)}, [](auto x, auto) { return std::log2(x); },
          [](long double x, long double e) { return x >= 0.5L && x <= 2 ? 0x1p-22L : std::fabs(e) * 0x1p-22L; });
    check("sin.approx.f32", {spread(0, 5)}, [](auto x, auto) { return std::sin(x); }, absolute(0x1.6ap-21L));
    check("cos.approx.f32", {spread(0, 6)}, [](auto x, auto) { return std::cos(x); }, absolute(0x1.6ap-21L));
    check("tanh.approx.f32", {spread(0, 7)}, [](auto x, auto) { return std::tanh(x); }, relative(0x1p-11L));
    check("div.full.f32", {spread(30, 8), spread(30, 9)}, [](auto x, auto y) { return x / y; }, in_ulps_2);
    check("div.approx.f32", {spread(30, 10), spread(30, 11)}, [](auto x, auto y) { return x / y; }, in_ulps_2);
}

TEST(PtxApproximations, FlushWhereTheySayFtz) {
    Values any;
    Rng rng(22, 1, 0);
    for (int k = 0; k < 4096; ++k) any.push_back((k % 3 ? rng.next() : rng.next() & 0x807fffff) & 0xffffffff);
    const auto flushed = [](std::uint64_t w) { return w & 0x7f800000u ? w : w & 0x80000000u; };
    Values zeroed = any;
    for (auto& w : zeroed) w = flushed(w);
    for (const std::string name : {"rsqrt.approx", "rcp.approx", "sqrt.approx", "ex2.approx", "lg2.approx", "sin.approx", "cos.approx"}) {
        const auto y = apply(name + ".ftz.f32", 32, {32}, {any}), plain = apply(name + ".f32", 32, {32}, {zeroed});
        for (std::size_t k = 0; k < y.size(); ++k) ASSERT_EQ(y[k], flushed(plain[k])) << name << " of " << std::hex << any[k];
    }
    const Values other(zeroed.rbegin(), zeroed.rend()), other_any(any.rbegin(), any.rend());
    const auto y = apply("div.full.ftz.f32", 32, {32, 32}, {any, other_any}), plain = apply("div.full.f32", 32, {32, 32}, {zeroed, other});
    for (std::size_t k = 0; k < y.size(); ++k) ASSERT_EQ(y[k], flushed(plain[k])) << "div of " << std::hex << any[k] << ", " << other_any[k];
}

}  // namespace
}  // namespace ulpgate::ptx::testing
