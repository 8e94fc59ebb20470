// The inputs of a diagnosis, fixed by the claim's types and d. Integers times a power of two whose squares add up to less than
// 2^24: every partial sum is exact in f32, so that the row's sum is one number in every order, with FMA or in f64.
#pragma once
#include <span>
#include <vector>

#include "reference/model/model.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate::naming {

// Dense rows far above eps, a ladder of scales around it, mixed and sparse rows, one-hots, specials; a part again under a second
// eps, without eps, with gaps between the rows, and one row alone. With a residual: sums that round, some all the same way.
std::vector<Tensors> battery(const Op&, const Contract&, std::int64_t d);

// Rows whose sums depend on their order, in one batch of `rows`, then again `few` at a time: for a kernel that chooses by the batch.
std::vector<Tensors> batches(const Op&, const Contract&, std::int64_t d, std::int64_t rows, std::int64_t few);

// The same of rows that show the order of an f64 sum: see Ties. models: the maps that the kernel may compute.
std::vector<Tensors> tie_batches(const Op&, const Contract&, std::int64_t d, std::span<const Model> models, std::int64_t rows, std::int64_t few);

}  // namespace ulpgate::naming
