// What is left of several hypotheses: split by rows built for them; and what is said where none is left.
#pragma once
#include <optional>
#include <vector>

#include "properties/explain/hold.hpp"

namespace ulpgate::naming {

// Rows whose outputs the hypotheses predict differently, under every named mean and root; those whose every prediction fails are
// taken out, unless all fail (a root that is not named). Returns the calls, and adds the rows.
std::int64_t separate(const KernelCall&, const Op&, std::int64_t d, std::vector<Hypothesis>&, std::int64_t& rows);

// The failing row with the fewest values that are not zero.
std::optional<SparseRow> smallest_failing(std::span<const FailedCase>, const Claim&);
// The same with fewer and simpler values, as far as the row fails by itself. Adds the calls.
SparseRow shrink(const KernelCall&, const Op&, const Claim&, SparseRow, std::int64_t& calls);
std::vector<std::string> broken_relations(const KernelCall&, std::span<const Tensors>, const Claim&);

}  // namespace ulpgate::naming
