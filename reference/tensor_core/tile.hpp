// A tile of 16 x 8 results of one mma.sync, eight columns at a time in integers: the same bits as tensor_core_dot, element by
// element, and tens of times its speed.
#pragma once
#include "reference/tensor_core/step.hpp"

namespace ulpgate {

inline constexpr int tile_rows = 16, tile_columns = 8;

// d[r][c] += sum over k of a[r][k] b[c][k]. a: 16 rows of `depth` words of F; b: 8 rows (B's columns) of as many; d: 16 x 8,
// row by row. depth: at most 16.
template <class F>
void tensor_core_tile(const TensorCore& core, int depth, const typename F::Word* a, const typename F::Word* b, float* d);

}  // namespace ulpgate
