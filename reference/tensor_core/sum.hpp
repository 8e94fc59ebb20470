// A sum of products on tensor cores: columns in groups, each group one step (step.hpp), the steps of a chain one after the other
// from +0; several chains are joined by rounded f32 additions. What it gives, and how far from the exact sum it may be. Text:
//
//   mma:GROUPxFRACTION[xCHAINS]     mma:8x24: Ampere and Ada · mma:16x25: Hopper and Blackwell · mma:16x25x4: split into four
//   mma:GROUPxFRACTION:PROMOTED     each PROMOTED columns are a chain, scaled where the weights are, and added up in f32
//                                   mma:32x13:128: e4m3 on Ada and Hopper, which keep 13 bits, promoted every 128 columns
//
// Proof of the bound: reference/tensor_core/proof.md.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/tensor_core/step.hpp"

namespace ulpgate {

struct TensorCoreSum {
    int group = 16, fraction_bits = 25, chains = 1;
    int promoted = 0;  // columns a chain; 0: `chains` of them
    std::string text() const;
    // The core with that group and fraction; its least exponent is Ampere's or Hopper's.
    TensorCore core() const;
};

// Nothing where the text is no such sum: 1 to 64 columns a group, 24 to 25 fraction bits, or 13 where chains are promoted, 1 to 4096
// chains, 1 to 4096 columns a chain.
std::optional<TensorCoreSum> find_tensor_core_sum(std::string_view text);
inline constexpr std::string_view tensor_core_sum_values = "mma:GROUPxFRACTION, mma:GROUPxFRACTIONxCHAINS, mma:GROUPxFRACTION:PROMOTED";

// How far the sum may be from the exact one, whatever columns a group holds: of `terms` products that are not 0, their magnitudes
// summing to `magnitude` (rounded up), over `columns` columns. steps beyond the groups' own: rounded additions that follow.
// largest_scale: of the chains' scales (magnitude holds them); 0: there are none.
double tensor_core_error(const TensorCoreSum&, double magnitude, std::int64_t terms, std::int64_t columns, int additions_after = 0, double largest_scale = 0);
// All products multiples of 2^L below 2^(L+24) in sum: nothing is lost.
inline bool exact_where_f32_is(const TensorCoreSum& s) { return s.fraction_bits >= 24; }

// x and y: values of F, equally many. Chains take stretches of whole groups, as equal as can be, and are joined in order.
// scale: of each `block` columns of y, a multiple of `promoted`; empty: none.
template <class F>
float tensor_core_sum(const TensorCoreSum&, std::span<const float> x, std::span<const float> y, std::span<const float> scale = {}, std::size_t block = 1);

}  // namespace ulpgate
