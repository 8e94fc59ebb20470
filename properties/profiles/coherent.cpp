#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {
namespace {

// Any significands, one exponent or two.
void fill(const RowRequest& q, std::span<float> x) {
    Rng r = q.rng;
    const int k = r.between(-6, 6), p = std::min(precision(q.type), 24), spread = r.between(0, 1);
    for (float& v : x) {
        const int down = r.between(0, spread);
        v = build::either_sign(r, build::scaled(build::significand(r, p), k - p - down));
    }
}

// 31/64 or 33/64 of an ulp of x in x's direction: every sum loses, or gains, nearly half an ulp when it is
// rounded.
void fill_residual(const RowRequest& q, std::span<const float> x, std::span<float> residual) {
    Rng r = q.rng;
    const int p = precision(q.type), of_ulp = r.below(2) ? 31 : 33;
    for (std::size_t j = 0; j < x.size(); ++j) {
        const double magnitude = x[j] < 0 ? -static_cast<double>(x[j]) : static_cast<double>(x[j]);
        const float v = magnitude == 0 ? 0.0f : build::scaled(of_ulp, build::exponent(magnitude) - p + 1 - 6);
        residual[j] = x[j] < 0 ? -v : v;
    }
}

}  // namespace

PIECE(Profile, coherent) = {
    "coherent",
    "x + residual of one row rounds one way at every column: shows which sum, rounded or not, is used where",
    fill,
    fill_residual,
    true,
    [](std::int64_t d) { return std::clamp<std::int64_t>(65536 / d, 8, 32); },
    "random"};

}  // namespace ulpgate::profiles
