#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {

// Weights in pairs of opposite sign against equal neighbours of the token: what is left is small beside sum |a w|.
PIECE(QueryProfile, cancel) = {"cancel", "dots that cancel: pairs of opposite products and a small rest",
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) {
        for (std::size_t k = 0; k < v.size(); ++k) v[k] = k % 2 && k + 2 < v.size() ? v[k - 1] : build::gauss(r, 0);
    },
    [](Rng r, const QueryRequest& q, std::int64_t row, std::span<float> v) {
        dense(r, q, row, v);
        for (std::size_t k = 1; k + 2 < v.size(); k += 2) v[k] = -v[k - 1];
    },
    dense, gains, small_bias, false, false};

}  // namespace ulpgate::query_profiles
