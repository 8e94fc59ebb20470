#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

PIECE(Profile, constant) = {
    "constant",
    "one value in the whole row, any significand, 2^-16 to 2^16",
    [](const RowRequest& q, std::span<float> x) {
        Rng r = q.rng;
        const build::Exponents all = build::scales(q.type, x.size());
        const int k = build::clamp(r.between(-16, 16), all);
        std::fill(x.begin(), x.end(), build::either_sign(r, build::scaled(build::significand(r, 8), k - 7)));
    },
    nullptr,
    false,
    [](std::int64_t d) { return std::clamp<std::int64_t>(65536 / d, 8, 32); },
    "random"};

}  // namespace ulpgate::profiles
