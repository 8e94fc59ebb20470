#include <algorithm>
#include <cmath>

#include "properties/profiles/build.hpp"
#include "properties/profiles/integers.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {
namespace {

// Half-width of the contract's r for an exact sum: (1/2 (c + 1) + 2 k + 1) u with c = 2, k = 2 and both eps;
// NUMERICS 2.
constexpr double half_width = 6.6 * 0x1p-24;

// The midpoint of T nearest above v > 0; f32 outputs pin r themselves, there fp16's do.
double midpoint_above(Type t, double v) {
    const double ulp = build::pow2(build::exponent(v) - (t == Type::bf16 ? 7 : 10));
    return (static_cast<double>(static_cast<std::int64_t>(v / ulp)) + 0.5) * ulp;
}

// One element m0 2^k whose n = x r (in odd rows of the profile n = x w r) lies just beyond a midpoint h, as
// near to it as the contract's own slack lets a right kernel be. With integers the sum is exact, so that S =
// d ((q/h)^2 - eps), q = x or x w, is met to one part in 2^24: a kernel whose r is off by a little more than
// the slack rounds to the other side.
void fill(const RowRequest& q, std::span<float> x) {
    Rng r = q.rng;
    const auto d = static_cast<double>(x.size());
    const std::size_t at = r.below(static_cast<std::uint32_t>(x.size()));
    const double w = q.w.empty() ? 1 : std::fabs(static_cast<double>(q.w[at]));
    const bool usable = w > 0x1p-100 && w < 0x1p100;  // no NaN, no Inf, no 0
    const double gain = r.below(2) && usable ? w : 1;
    const int near = build::eps_level(q.eps) - 7 + r.between(-3, 3), plain = r.between(-6, 0);
    const int k = build::clamp_for_integers(r.below(3) ? plain : near, q.type, x.size());
    const double eps = std::min(q.eps, 0x1p40) * build::pow2(-2 * k);  // in units of 2^2k
    const double wanted =
        std::min(d * 20000, static_cast<double>(build::exact_sum) * (0.5 + r.below(256) * 0x1p-10));
    const auto room = static_cast<std::int32_t>(build::integer_root(static_cast<std::int64_t>(0.8 * wanted)));
    const std::int32_t m0 = r.between(32, std::min(room, build::most_integer));
    const double product = m0 * gain, n = product / std::sqrt(wanted / d + eps);
    const double root =
        product / midpoint_above(q.type, n) * (r.below(2) ? 1 + 1.02 * half_width : 1 - 1.02 * half_width);
    const double sum = std::clamp(d * (root * root - eps), 0.0, static_cast<double>(build::exact_sum - 1));
    const std::int64_t total = std::max<std::int64_t>(static_cast<std::int64_t>(sum + 0.5), m0 * m0);
    auto m = build::with_sum_of_squares(r, x.size() - 1, total - m0 * m0);
    m.insert(m.begin() + static_cast<std::ptrdiff_t>(at), m0);
    build::write(m, k, x);
}

}  // namespace

PIECE(Profile, threshold) = {
    "threshold", "integer rows whose r puts an output just beyond a midpoint: the smallest error of r shows",
    fill,        nullptr,
    true,        [](std::int64_t d) { return std::clamp<std::int64_t>(196608 / d, 32, 128); },
    "random"};

}  // namespace ulpgate::profiles
