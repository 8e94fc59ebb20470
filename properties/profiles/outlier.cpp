#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

// Massive activations stand in the same few channels of every token, some tokens far more than others (Sun et
// al. 2024, "Massive Activations in Large Language Models"): channels by the width alone, their size by the
// row.
PIECE(Profile, outlier) = {
    "outlier",
    "as in language models: heavy tails, and a few channels 1e2 to 1e4 times the rest",
    [](const RowRequest& q, std::span<float> x) {
        Rng r = q.rng;
        const build::Exponents all = build::scales(q.type, x.size());
        const int k = build::clamp(r.between(-8, 2), all), massive = r.between(6, 13);
        for (float& v : x) {
            const std::uint64_t dice = r.next() >> 40;
            const int tail =
                dice % 16 ? 0
                          : std::countr_one(static_cast<unsigned>(dice >> 8));  // 2^-n of them n doublings up
            v = build::gauss(r, k + std::min(tail, 8));
        }
        const auto d = static_cast<std::uint32_t>(x.size());
        Rng channels(d, 0, 0);
        for (std::uint32_t n = std::min(4u, d / 64); n; --n) {
            const float v = build::scaled(65536 + r.below(65536), std::min(k + massive, all.hi) - 16);
            x[channels.below(d)] = build::either_sign(r, v);
        }
    },
    nullptr,
    false,
    [](std::int64_t d) { return std::clamp<std::int64_t>(262144 / d, 48, 192); },
    "random"};

}  // namespace ulpgate::profiles
