// What relations share: scaling inputs, laying a case out anew, and when a power of two passes through exactly.
#pragma once
#include "properties/relations/relation.hpp"

namespace ulpgate::relations {

inline bool any_formula(const Contract& c) {
    return c.quant == Quant::none && c.beta == Given::none && c.ftz == "none";
}
// The formula of the mean square, with nothing kept in T.
inline bool mean_square(const Contract& c) {
    return any_formula(c) && c.stat == Stat::ms && c.sq != Accumulate::t && c.acc != Accumulate::t;
}

// Multiplies every value by 2^k, with one rounding where the type ends.
void scale(Tensor*, int k);

// Each value times 2^k is the changed one, without a rounding or an overflow on the way.
bool scaled_exactly(std::span<const float> before, int k, std::span<const float> after);

// The same contract and numbers with other sizes and strides; inputs are zero, gaps hold live data.
Tensors laid_out(const Tensors&, std::int64_t batch, std::int64_t tokens, std::int64_t d, std::int64_t ld, std::int64_t yld);
// Row `from` of one tensor to row `to` of another, by column: to[j] = from[column[j]]; column empty: the same.
void copy_row(const Tensor& from, std::int64_t from_row, Tensor& to, std::int64_t to_row, const std::vector<std::int64_t>& column = {});

// x, S / d, eps and the root keep to normal numbers of f32 in both calls.
bool statistic_is_normal(const RowPair&);
// Where the gain may meet r or x before the other does (x_rw, xw_r): those products are normal in both calls.
bool products_are_normal(const RowPair&);
// Every order sums this row exactly: squares of integers times one power of four, below 2^23.
bool sums_exactly(std::span<const float> x);

}  // namespace ulpgate::relations
