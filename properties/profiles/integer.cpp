#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/integers.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

PIECE(Profile, integer) = {
    "integer",
    "integers times a power of two, squares summing below 2^24: the same sum in every order",
    [](const RowRequest& q, std::span<float> x) {
        Rng r = q.rng;
        // Half the rows about the root of eps, where fp16 reaches down to its smallest subnormal.
        const int near = build::eps_level(q.eps) + r.between(-12, 0), plain = r.between(-8, 2);
        const int k = build::clamp_for_integers(r.below(2) ? plain : near, q.type, x.size());
        build::write(build::integers(r, x.size()), k, x);
    },
    nullptr,
    true,
    [](std::int64_t d) { return std::clamp<std::int64_t>(196608 / d, 32, 96); },
    "random"};

}  // namespace ulpgate::profiles
