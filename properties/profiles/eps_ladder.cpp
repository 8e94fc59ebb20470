#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/integers.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {
namespace {

constexpr std::int64_t rungs = 24;  // powers of two from 2^-16 to 2^7 times the root of eps

// By turns: a constant power of two (FAULTS.md, "Eps"), the same with any significand, integers of that size;
// then zeros.
void fill(const RowRequest& q, std::span<float> x) {
    Rng r = q.rng;
    const std::int64_t rung = q.row % (rungs + 1);
    std::fill(x.begin(), x.end(), 0.0f);
    if (rung == rungs) return;
    const build::Exponents all = build::scales(q.type, x.size());
    const int k = build::clamp(build::eps_level(q.eps) + 7 - static_cast<int>(rung), all);
    switch (q.row / (rungs + 1) % 3) {
        case 0:
            std::fill(x.begin(), x.end(), build::scaled(1, k));
            break;
        case 1:
            std::fill(x.begin(), x.end(), build::scaled(build::significand(r, 8), k - 7));
            break;
        default:
            build::write(build::integers(r, x.size()), build::clamp_for_integers(k - 6, q.type, x.size()), x);
    }
}

}  // namespace

PIECE(Profile, eps_ladder) = {
    "eps_ladder", "constant and integer rows from 2^-16 to 2^7 times the root of eps, and zero rows",
    fill,         nullptr,
    true,         [](std::int64_t) { return std::int64_t{3 * (rungs + 1)}; },
    "coded"};

}  // namespace ulpgate::profiles
