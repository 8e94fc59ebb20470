#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {

// Small integers: the first sums are exact in f32 in every order, the second have three terms. What is left to a kernel is
// one or two roundings, so that outputs are pinned from end to end.
PIECE(QueryProfile, integers) = {"integers", "latent codes: first sums exact in every order, second sums of three terms",
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) { for (float& f : v) f = static_cast<float>(r.between(-3, 3)); },
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) { for (float& f : v) f = static_cast<float>(r.between(-1, 1)); },
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) { sparse(r, 3, v); },
    gains, small_bias, true, true};

}  // namespace ulpgate::query_profiles
