// d = 1: v = x^2 + eps, exact to 2^-53 in f64. r0 = RN(v^-1/2) is within u(1 + 2^-27) of the real r, its neighbours within
// 3u(1 + 2^-27), u = 2^-24; the contract's interval reaches at least 2 kappa u from r, kappa = max(rsqrt, 1/2): both neighbours
// are in it from rsqrt = 2 on, r0 always (for kappa = 1/2 the (1 -+ u) of the addition of eps leaves it u/2 more). |x| >= 2^64:
// x^2 is inf for every order, r = 0, y = +-0. NaN makes NaN. Everything else is left open.
#include "fuzz/exhaustive/decide.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/simd/dispatch.hpp"

namespace ulpgate::fuzzing {
namespace {

enum class Way { xr_w, x_rw, xw_r };

template <Way way>
ULPGATE_INLINE float map(float x, float w, float r) {
    if constexpr (way == Way::xr_w) return w * (x * r);
    if constexpr (way == Way::x_rw) return x * (r * w);
    return (x * w) * r;
}

constexpr std::size_t block = 256;

// Flags (1: allowed) and errors in ulps of one block.
template <Way way>
ULPGATE_INLINE void block_body(double eps, float w, bool neighbours, const float* x, const float* y, std::size_t n, std::int32_t* allowed, double* error) {
    const float step = neighbours ? 1.0f : 0.0f;
    const auto d = static_cast<std::int32_t>(step);
    for (std::size_t j = 0; j < n; ++j) {
        const double xd = static_cast<double>(x[j]), v = xd * xd + eps, rd = 1 / std::sqrt(v);
        const float r = static_cast<float>(rd);
        const auto bits = std::bit_cast<std::int32_t>(r), got = std::bit_cast<std::int32_t>(y[j]);
        // Flags are integers and joined without branches: the loop stays one of vectors.
        const auto gives = [&](std::int32_t b) -> std::int32_t { return std::bit_cast<std::int32_t>(map<way>(x[j], w, std::bit_cast<float>(b))) == got; };
        const auto flag = [](bool b) -> std::int32_t { return b; };
        const bool overflow = std::fabs(x[j]) >= 0x1p64f && std::fabs(x[j]) < INFINITY;
        const std::int32_t zero = (std::bit_cast<std::int32_t>(x[j]) ^ std::bit_cast<std::int32_t>(w)) & INT32_MIN;
        const std::int32_t ordinary = gives(bits) | gives(bits + d) | gives(bits - d);
        const std::int32_t nan = flag(x[j] != x[j]) & flag(y[j] != y[j]);
        allowed[j] = (overflow ? flag(got == zero) : ordinary & flag(std::fabs(x[j]) < 0x1p64f)) | nan;
        const double ideal = xd * static_cast<double>(w) * rd;
        const auto field = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::fabs(ideal)) >> 52);
        const std::int64_t e = field > 1023 - 126 ? field : 1023 - 126;
        const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(2046 + 23 - e) << 52);
        const double off = std::fabs(static_cast<double>(y[j]) - ideal) * scale;
        error[j] = overflow || !(off < 1e300) ? 0 : off;
    }
}

template <Way way>
void block_portable(double eps, float w, bool neighbours, const float* x, const float* y, std::size_t n, std::int32_t* a, double* e) {
    block_body<way>(eps, w, neighbours, x, y, n, a, e);
}
#if defined(__x86_64__)
template <Way way>
ULPGATE_AVX2 void block_avx2(double eps, float w, bool neighbours, const float* x, const float* y, std::size_t n, std::int32_t* a, double* e) {
    block_body<way>(eps, w, neighbours, x, y, n, a, e);
}
#else
template <Way way>
constexpr auto block_avx2 = block_portable<way>;
#endif

// Floats a few steps from r0, each looked at by itself.
template <Way way>
bool further(double eps, float w, double kappa, float x, float y) {
    if (!(std::fabs(x) < 0x1p64f)) return false;
    const double xd = static_cast<double>(x), r = 1 / std::sqrt(xd * xd + eps), reach = (2 * kappa + 0.5) * (1 - 0x1p-20) * 0x1p-24;
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(r)), steps = static_cast<std::int32_t>(2 * kappa) + 2;
    for (std::int32_t b = bits - steps; b <= bits + steps; ++b) {
        const float s = std::bit_cast<float>(b);
        if (std::fabs(static_cast<double>(s) / r - 1) <= reach && std::bit_cast<std::int32_t>(map<way>(x, w, s)) == std::bit_cast<std::int32_t>(y)) return true;
    }
    return false;
}

template <Way way>
void decide_as(double eps, float w, double kappa, std::span<const float> x, std::span<const float> y, Decided& out) {
    const auto run = has_avx2() ? block_avx2<way> : block_portable<way>;
    std::int32_t allowed[block];
    double error[block];
    for (std::size_t from = 0; from < x.size(); from += block) {
        const std::size_t n = std::min(block, x.size() - from);
        run(eps, w, kappa >= 2, x.data() + from, y.data() + from, n, allowed, error);
        std::int32_t all = 1;
        double worst = 0;
        for (std::size_t j = 0; j < n; ++j) all &= allowed[j], worst = worst < error[j] ? error[j] : worst;
        for (std::size_t j = 0; !all && j < n; ++j)
            if (!allowed[j] && !further<way>(eps, w, kappa, x[from + j], y[from + j])) out.open.push_back(static_cast<std::uint32_t>(from + j));
        if (!(worst > out.worst_ulp)) continue;
        out.worst_ulp = worst;
        for (std::size_t j = 0; j < n; ++j)
            if (error[j] == worst) out.worst = static_cast<std::uint32_t>(from + j);
    }
}

}  // namespace

bool can_decide(const Contract& c, double eps) {
    return c.x == Type::f32 && c.w == Type::f32 && c.y == Type::f32 && c.gain == Gain::given && c.by == By::mul && c.residual == Residual::none &&
           c.quant == Quant::none && c.beta == Given::none && c.rstd == Emit::none && c.stat == Stat::ms && c.map != Map::none && c.ftz == "none" &&
           c.stat_width == 0 && c.rsqrt >= 0 && c.rsqrt <= 64 && eps >= 0x1p-60 && eps <= 0x1p60;
}

void decide(const Contract& c, double eps, float w, std::span<const float> x, std::span<const float> y, Decided& out) {
    const double kappa = std::max(static_cast<double>(c.rsqrt), 0.5);
    if (c.map == Map::cast_first || c.assoc == Assoc::xr_w || c.assoc == Assoc::any) decide_as<Way::xr_w>(eps, w, kappa, x, y, out);
    else if (c.assoc == Assoc::x_rw) decide_as<Way::x_rw>(eps, w, kappa, x, y, out);
    else decide_as<Way::xw_r>(eps, w, kappa, x, y, out);
}

}  // namespace ulpgate::fuzzing
