#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

// NUMERICS 6: x0 = 4096, the rest 1, shows through r how many partial sums there are; the spike wanders.
PIECE(Profile, spike) = {
    "spike",
    "one value 2^4 to 2^12 above the others, in any column, the others equal or near Gaussian",
    [](const RowRequest& q, std::span<float> x) {
        Rng r = q.rng;
        const auto d = static_cast<std::uint32_t>(x.size());
        const bool equal = r.below(2), first = q.row == 0;
        const int up = first ? 12 : r.between(4, 12),
                  k = q.type == Type::fp16 || first ? 0 : r.between(-6, 6);
        for (float& v : x) v = equal || first ? build::scaled(1, k) : build::gauss(r, k);
        const std::uint32_t at = first ? 0 : r.below(d);
        x[at] = build::scaled(first ? 1 : build::significand(r, 8) * 0x1p-8, k + up);
    },
    nullptr,
    false,
    [](std::int64_t d) { return std::clamp<std::int64_t>(131072 / d, 24, 96); },
    "random"};

}  // namespace ulpgate::profiles
