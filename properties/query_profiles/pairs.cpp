#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {
namespace {

void two(Rng r, const QueryRequest&, std::int64_t, std::span<float> v) {
    for (float& f : v) f = 0;
    for (const int k : {0, r.between(6, 18)}) v[r.below(static_cast<std::uint32_t>(v.size()))] = build::gauss(r, -k);
}

}  // namespace

// Every sum has two products, the smaller one reaching below f32's last bit: f32 rounds once, in every order. Truncating sums, as tensor cores make them, show where logits are f32.
PIECE(QueryProfile, pairs) = {"pairs", "every sum has two terms, one far below the other: one rounding in f32, whatever the order",
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) { for (float& f : v) f = build::gauss(r, 0); },
    two, two, gains, small_bias, true, false};

}  // namespace ulpgate::query_profiles
