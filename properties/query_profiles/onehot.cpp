#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {

// Token t is column t alone; column t of the first matrix is latent t alone; so output o of token t is one product with the
// second matrix: no sum rounds, and no two outputs hold the same weight. Shows every layout from outside.
PIECE(QueryProfile, onehot) = {"onehot", "token t reaches one latent, each output is one weight: layouts can be read off",
    [](Rng, const QueryRequest&, std::int64_t token, std::span<float> v) {
        for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<std::int64_t>(k) == token % static_cast<std::int64_t>(v.size()) ? 1.0f : 0.0f;
    },
    [](Rng r, const QueryRequest& q, std::int64_t row, std::span<float> v) {
        if (!q.rank) return uniform(r, 0, v);
        for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<std::int64_t>(k) % q.rank == row % q.rank ? 1.0f : 0.0f;
    },
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) { uniform(r, 0, v); },
    gains, small_bias, true, true};

}  // namespace ulpgate::query_profiles
