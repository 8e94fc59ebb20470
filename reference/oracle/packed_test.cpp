// The f32 screen against the f64 ladder on whole rows, and against integer roots where it is closest to being wrong: beside
// midpoints (threshold rows), since Gaussian rows alone would let most broken bounds pass.
#include "reference/oracle/packed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "reference/formats/convert.hpp"
#include "reference/oracle/designed_rows.hpp"
#include "reference/oracle/root_oracle.hpp"
#include "reference/oracle/screen.hpp"

namespace ulpgate {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::array types{Type::bf16, Type::fp16, Type::f32};
constexpr std::array oracles{Oracle::ideal, Oracle::cast_first};
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

using Run = void (*)(Oracle, const PackedRows&, OracleStats*);

std::vector<std::uint32_t> packed(Run run, Oracle oracle, Type t, const std::vector<float>& x, const std::vector<float>& w, std::size_t d,
                                  double eps, OracleStats* stats = nullptr) {
    const std::size_t size = static_cast<std::size_t>(bytes(t)), n = x.size();
    std::vector<std::byte> xs(n * size), ws(d * size), ys(n * size, std::byte{0x71});
    encode_words(t, x, xs.data());
    if (!w.empty()) encode_words(t, w, ws.data());
    run(oracle, {t, xs.data(), w.empty() ? nullptr : ws.data(), ys.data(), n / d, d, eps}, stats);
    std::vector<std::uint32_t> y(n);
    for (std::size_t j = 0; j < n; ++j) {
        if (size == 2) y[j] = static_cast<std::uint32_t>(ys[2 * j]) | static_cast<std::uint32_t>(ys[2 * j + 1]) << 8;
        else std::memcpy(&y[j], &ys[4 * j], 4);
    }
    return y;
}

std::vector<std::uint32_t> by_f64(Oracle oracle, Type t, const std::vector<float>& x, const std::vector<float>& w, std::size_t d, double eps) {
    std::vector<std::uint32_t> y(x.size());
    for (std::size_t at = 0; at < x.size(); at += d) oracle_row_f64(oracle, {t, t, t}, std::span(x).subspan(at, d), w, eps, std::span(y).subspan(at, d));
    return y;
}

void expect_same(Oracle oracle, Type t, const std::vector<float>& x, const std::vector<float>& w, std::size_t d, double eps, OracleStats* stats = nullptr) {
    const auto want = by_f64(oracle, t, x, w, d, eps), got = packed(oracle_rows, oracle, t, x, w, d, eps, stats);
    for (std::size_t j = 0; j < got.size(); ++j)
        ASSERT_EQ(got[j], want[j]) << (oracle == Oracle::ideal ? "ideal " : "cast_first ") << name(t) << " d " << d << " eps " << eps << " row " << j / d
                                   << " col " << j % d << std::hexfloat << " x " << x[j] << " w " << (w.empty() ? 1.0f : w[j % d]);
}

std::vector<float> gaussian(Rng& r, Type t, std::size_t n, int scale) {
    std::vector<float> v(n);
    for (float& f : v) f = round_to(t, std::ldexp(static_cast<float>(r.gauss()), scale - 16));
    return v;
}
// Exponents uniform in [lo, hi].
std::vector<float> spread(Rng& r, Type t, std::size_t n, int lo, int hi) {
    std::vector<float> v(n);
    for (float& f : v) {
        f = round_to(t, std::ldexp(1 + static_cast<double>(r.below(1u << 24)) * 0x1p-24, r.between(lo, hi)));
        if (!std::isfinite(f)) f = 1;
        if (r.below(2)) f = -f;
    }
    return v;
}
int lowest(Type t) { return t == Type::fp16 ? -24 : -149; }
int highest(Type t) { return t == Type::fp16 ? 15 : 127; }

TEST(Packed, EqualsTheF64LadderOnOrdinaryRowsAndDecidesNearlyAll) {
    Rng r(20, 0, 0);
    for (const Type t : types)
        for (const Oracle oracle : oracles) {
            OracleStats stats;
            for (const std::size_t d : {64u, 127u, 128u, 130u, 513u, 1536u, 7168u})
                for (const int scale : {0, -10, 5}) expect_same(oracle, t, gaussian(r, t, 9 * d, scale), spread(r, t, d, -1, 1), d, 1e-6, &stats);
            if (HasFatalFailure()) return;
            if (!screen::available()) continue;
            EXPECT_LT(static_cast<double>(stats.l1), 0.02 * static_cast<double>(stats.elements)) << name(t);
        }
}

TEST(Packed, EqualsTheF64LadderOverTheWholeRange) {
    Rng r(21, 0, 0);
    for (const Type t : types)
        for (const Oracle oracle : oracles)
            for (const double eps : {1e-6, 0.0, 1.0, 0x1p-140})
                for (const std::size_t d : {128u, 200u, 576u}) {
                    const int lo = lowest(t), hi = highest(t);
                    auto x = spread(r, t, 3 * d, lo, hi);
                    const auto small = spread(r, t, 2 * d, lo, -20), mild = gaussian(r, t, 2 * d, 0), big = spread(r, t, 2 * d, hi - 3, hi);
                    x.insert(x.end(), small.begin(), small.end());
                    x.insert(x.end(), mild.begin(), mild.end());
                    x.insert(x.end(), big.begin(), big.end());
                    for (const auto& w : {spread(r, t, d, lo, hi), spread(r, t, d, lo, lo + 12), spread(r, t, d, hi - 8, hi), std::vector<float>{}})
                        expect_same(oracle, t, x, w, d, eps);
                    if (HasFatalFailure()) return;
                }
}

// Results near the ends of f32's range within otherwise ordinary rows: UE and OE hand the row down.
TEST(Packed, HandsDownRowsThatLeaveF32) {
    Rng r(22, 0, 0);
    OracleStats stats;
    for (const Type t : {Type::bf16, Type::f32})
        for (const Oracle oracle : oracles)
            for (const float odd : {0x1p-140f, 0x1.8p-130f, 0x1.fep127f, 0x1p126f})
                for (int rep = 0; rep < 8; ++rep) {
                    const std::size_t d = 256;
                    auto x = gaussian(r, t, 8 * d, rep % 2 ? 3 : -3), w = spread(r, t, d, -1, 1);
                    w[r.below(d)] = odd;
                    if (rep % 4 > 1) x[r.below(8 * d)] = 0x1p-100f;
                    expect_same(oracle, t, x, w, d, rep % 3 ? 1e-6 : 1.0, &stats);
                    if (HasFatalFailure()) return;
                }
    EXPECT_GT(stats.unscreened_rows, 100u);
}

TEST(Packed, ZerosKeepTheirSignsAndGainsFollowIeee) {
    Rng r(23, 0, 0);
    for (const Type t : types)
        for (const Oracle oracle : oracles) {
            const std::size_t d = 300;
            auto x = gaussian(r, t, 4 * d, 0), w = spread(r, t, d, -1, 1);
            for (float& v : x)
                if (r.below(5) == 0) v = r.below(2) ? 0.0f : -0.0f;
            for (std::size_t j = 0; j < d; j += 7) w[j] = r.below(2) ? 0.0f : -0.0f;
            expect_same(oracle, t, x, w, d, 1e-6);
            for (const float odd : {inf, -inf, nan}) w[r.below(d)] = odd;
            x[1] = nan;
            x[d + 2] = -inf;
            std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(2 * d), d, 0.0f);
            expect_same(oracle, t, x, w, d, 1e-6);
            expect_same(oracle, t, x, w, d, 0);
            if (HasFatalFailure()) return;
        }
}

TEST(Packed, PortableGivesTheSameWords) {
    Rng r(24, 0, 0);
    for (const Type t : types)
        for (const Oracle oracle : oracles) {
            const auto x = gaussian(r, t, 3 * 576, 0), w = spread(r, t, 576, -2, 1);
            EXPECT_EQ(packed(oracle_rows, oracle, t, x, w, 576, 1e-6), packed(portable::oracle_rows, oracle, t, x, w, 576, 1e-6));
        }
}

#if defined(__x86_64__)
TEST(Packed, IgnoresFlagsRaisedBeforeAndRestoresTheMode) {
    Rng r(25, 0, 0);
    const auto x = gaussian(r, Type::bf16, 512, 0), w = spread(r, Type::bf16, 512, -1, 1);
    OracleStats raised;
    const auto want = packed(oracle_rows, Oracle::ideal, Type::bf16, x, w, 512, 1e-6);
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x18);
    const auto got = packed(oracle_rows, Oracle::ideal, Type::bf16, x, w, 512, 1e-6, &raised);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after, before | 0x18);
    EXPECT_EQ(got, want);
    EXPECT_EQ(raised.unscreened_rows, screen::available() ? 0u : 1u);  // no row was taken for one that leaves f32
}
#endif

// Element 0 at a midpoint h of the format times 1 + offset * step, for offsets across the screen's whole window: S is built as
// d ((q/h)^2 (1 - 2 offset step) - eps), q = x0 w0. The right word follows from the construction outside the last offsets.
template <class F>
void expect_decided_beside_midpoints(Oracle oracle, std::size_t d, double step, int most, int stride, Rng& rng, OracleStats& stats) {
    const Type t = type_of<F>;
    const double x0 = F::round(std::ldexp(1 + rng.below(1u << 24) * 0x1p-24, 8));
    const double w0 = oracle == Oracle::ideal ? F::round(1 + rng.below(1u << 24) * 0x1p-24) : 1.0, q = x0 * w0;
    const double guess = q * (1 + rng.below(1u << 20) * 0x1p-24) * 0x1p-8;
    const auto below = F::encode(guess);
    const double h = (static_cast<double>(F::decode(below)) + static_cast<double>(F::decode(static_cast<typename F::Word>(below + 1)))) / 2;
    const int unit = F::precision == 11 ? 24 : 60;
    for (int offset = -most; offset <= most; offset += stride) {
        bool whole = true;
        const Dyadic dq = dyadic(static_cast<double>(d)) * dyadic(q) * dyadic(q), hh = dyadic(h) * dyadic(h), factor = dyadic(1 - 2 * offset * step);
        const int shift = dq.e + factor.e - hh.e + 2 * unit;
        const cpp_int target = ((dq.m * factor.m) << (shift + 600)) / hh.m - scaled(dyadic(static_cast<double>(d)) * dyadic(1e-6), 2 * unit + 600, whole);
        std::vector<float> x{static_cast<float>(x0)};
        const cpp_int rest = (target >> 600) - scaled(dyadic(x0) * dyadic(x0), 2 * unit, whole);
        if (rest < 0) return;
        fill_squares<F>(x, d, rest, unit, rng, 20);
        std::vector<float> w(d, static_cast<float>(w0));
        const auto y = packed(oracle_rows, oracle, t, x, w, d, 1e-6, &stats);
        const RootOracle root(x, 1e-6);
        for (std::size_t j = 0; j < d; j += j ? d / 5 : 1)
            ASSERT_EQ(y[j], root.element(oracle, {t, t, t}, x[j], w[j])) << name(t) << " d " << d << " offset " << offset << " col " << j;
    }
}

TEST(Packed, DecidesBesideMidpointsAsIntegersDo) {
    Rng rng(26, 0, 0);
    for (const Oracle oracle : oracles)
        for (const std::size_t d : {128u, 513u}) {
            OracleStats stats;
            for (int rep = 0; rep < 4; ++rep) {
                // 1/16 ulp32 a step, to 3 ulp32 on both sides
                expect_decided_beside_midpoints<Bf16>(oracle, d, 0x1p-28, 48, 3, rng, stats);
                expect_decided_beside_midpoints<Fp16>(oracle, d, 0x1p-28, 48, 3, rng, stats);
                expect_decided_beside_midpoints<F32>(oracle, d, 0x1p-54, 60, 7, rng, stats);  // L1's radius is below 2^-49
                if (HasFatalFailure()) return;
            }
            // the ends of f32's bracket lie up to 2^-43 beside y
            for (int rep = 0; rep < 60 && d == 128; ++rep) expect_decided_beside_midpoints<F32>(oracle, d, 0x1p-48, 16, 1, rng, stats);
            if (HasFatalFailure()) return;
            if (!screen::available()) continue;
            EXPECT_GT(stats.l1, 100u);
            EXPECT_GT(stats.l2, 10u);
        }
}

}  // namespace
}  // namespace ulpgate
