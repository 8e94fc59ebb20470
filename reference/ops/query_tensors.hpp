// Sizes that the query path and projections share, and when their tensors are there. A tensor with a size of 0 is absent.
#pragma once
#include "reference/ops/op.hpp"

namespace ulpgate::ops {

inline constexpr std::int64_t scale_block = 128;  // of e4m3 weights, both ways; the last block of a dimension may be part

inline constexpr auto has_scales = [](const Contract& c) { return c.weights == Type::e4m3; };
inline constexpr auto has_bias = [](const Contract& c) { return c.bias != Bias::none; };
inline constexpr auto has_taps = [](const Contract& c) { return c.taps != Emit::none; };

inline constexpr auto is_fused = [](const Contract& c) { return c.kv == Kv::fused; };
inline constexpr auto has_rope = [](const Contract& c) { return c.rope != Rope::none; };
inline constexpr auto absorbs = [](const Contract& c) { return c.absorb == Absorb::yes; };
inline constexpr auto splits_q = [](const Contract& c) { return c.absorb == Absorb::no; };

inline std::int64_t blocks(std::int64_t n) { return (n + scale_block - 1) / scale_block; }

// Of both matrices, from their own sizes.
inline void derive_blocks(Sizes& s) {
    s[Dim::a_block_rows] = blocks(s[Dim::a_out]);
    s[Dim::a_block_columns] = blocks(s[Dim::hidden]);
    s[Dim::b_block_rows] = blocks(s[Dim::b_out]);
    s[Dim::b_block_columns] = blocks(s[Dim::b_in]);
}

}  // namespace ulpgate::ops
