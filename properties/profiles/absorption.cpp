#include <algorithm>
#include <array>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

// A lane that holds 2^2k absorbs every square of up to 2^(2k - 24), half its ulp, and takes a whole ulp for
// anything more: the two ends of what a sum may be, for as many lanes as lead the row.
PIECE(Profile, absorption) = {
    "absorption",
    "a large value a lane, then squares of half its ulp: lost, or counted double",
    [](const RowRequest& q, std::span<float> x) {
        Rng r = q.rng;
        constexpr std::array<std::uint32_t, 8> widths{1, 4, 8, 16, 32, 64, 256, 1024};
        const std::size_t lanes = widths[r.below(widths.size())];
        const int k = q.type == Type::fp16 ? r.between(0, 6) : r.between(-20, 20);
        constexpr std::array<int, 4> beside{1024, 1025, 1023,
                                            1032};  // of 1024: half an ulp, and a little off it
        const float small = build::scaled(beside[r.below(beside.size())], k - 12 - 10);
        for (std::size_t j = 0; j < x.size(); ++j)
            x[j] = build::either_sign(r, j < lanes ? build::scaled(1, k) : small);
    },
    nullptr,
    true,
    [](std::int64_t d) { return std::clamp<std::int64_t>(131072 / d, 24, 64); },
    "random"};

}  // namespace ulpgate::profiles
