#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

PIECE(Profile, gaussian) = {
    "gaussian",
    "Gaussian rows; scales about 1, about the root of eps, below it, and over the whole range of the type",
    [](const RowRequest& q, std::span<float> x) {
        Rng r = q.rng;
        const build::Exponents all = build::scales(q.type, x.size());
        const int near = build::eps_level(q.eps), kind = r.between(0, 3);
        const int k = kind == 0   ? r.between(-2, 4)
                      : kind == 1 ? near + r.between(-3, 5)
                      : kind == 2 ? near - r.between(4, 12)
                                  : r.between(all.lo, all.hi);
        for (float& v : x) v = build::gauss(r, build::clamp(k, all));
    },
    nullptr,
    false,
    [](std::int64_t d) { return std::clamp<std::int64_t>(393216 / d, 64, 256); },
    "random"};

}  // namespace ulpgate::profiles
