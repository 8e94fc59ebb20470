#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {

// Massive activations stand in the same few channels of every token (Sun et al. 2024); weights have channels of their own.
PIECE(QueryProfile, massive) = {"massive", "a few channels of the token 2^6 to 2^20 times the rest; matrices with outlier channels",
    [](Rng r, const QueryRequest& q, std::int64_t, std::span<float> v) {
        for (float& f : v) f = build::gauss(r, -3);
        Rng channels(v.size(), 0, 0);
        for (int n = 0; n < 4; ++n) {
            // Beyond fp16's range where the type has more.
            const float big = build::scaled(1 + r.below(7), r.between(3, 6) + (q.type == Type::fp16 ? 0 : 11));
            v[channels.below(static_cast<std::uint32_t>(v.size()))] = build::either_sign(r, big);
        }
    },
    [](Rng r, const QueryRequest& q, std::int64_t row, std::span<float> v) {
        dense(r, q, row, v);
        for (std::size_t k = 3; k < v.size(); k += 17) v[k] *= 16;
        if (row % 5 == 0)
            for (float& f : v) f *= 8;
    },
    [](Rng r, const QueryRequest& q, std::int64_t row, std::span<float> v) {
        dense(r, q, row, v);
        for (std::size_t k = 1; k < v.size(); k += 13) v[k] *= 16;
    },
    gains, small_bias, false, false};

}  // namespace ulpgate::query_profiles
