#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {

// A product of 2^k first, its opposite last, and products just below 2^(k-25) between: beside the first a tensor core keeps nothing
// of them (step.hpp: 24 or 25 fraction bits, cut), whereas an order of rounded additions that lets them meet loses few. All have
// one sign, so that what was lost does not average out, and the rest is what is left once the two large products cancel.
PIECE(QueryProfile, absorbed) = {"absorbed", "two large products that cancel, the rest too small to be kept beside them",
    [](Rng, const QueryRequest&, std::int64_t, std::span<float> v) {
        for (float& f : v) f = 0x1p-12f;
        if (v.size() > 1) v.front() = v.back() = 1;
    },
    [](Rng r, const QueryRequest&, std::int64_t row, std::span<float> v) {
        const float large = build::either_sign(r, build::scaled(1, 4 + static_cast<int>(row % 4)));
        for (float& f : v) f = large * 0x1.fcp-14f;
        if (v.size() > 1) v.front() = large, v.back() = -large;
    },
    dense, gains, small_bias, false, false};

}  // namespace ulpgate::query_profiles
