#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {

PIECE(QueryProfile, random) = {"random", "dense tokens and matrices, every sum of the size of 1",
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) { for (float& f : v) f = build::gauss(r, 0); },
    dense, dense, gains, small_bias, false, true};

}  // namespace ulpgate::query_profiles
