#include <algorithm>

#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate::query_profiles {
namespace {

constexpr std::uint32_t chain = 128;

void two(Rng r, const QueryRequest&, std::int64_t, std::span<float> v) {
    for (float& f : v) f = 0;
    const auto n = static_cast<std::uint32_t>(v.size()), first = r.below(n) / chain * chain;  // both in one chain, where sums are promoted
    for (const int k : {0, r.between(6, 18)}) v[first + r.below(std::min(chain, n - first))] = build::gauss(r, -k);
}

}  // namespace

// Every sum has two products, the smaller one reaching below f32's last bit: f32 rounds once, in every order. Truncating sums, as tensor cores make them, show where logits are f32.
PIECE(QueryProfile, pairs) = {"pairs", "every sum has two terms, one far below the other: one rounding in f32, whatever the order",
    [](Rng r, const QueryRequest&, std::int64_t, std::span<float> v) { for (float& f : v) f = build::gauss(r, 0); },
    two, two, gains, small_bias, true, false};

}  // namespace ulpgate::query_profiles
