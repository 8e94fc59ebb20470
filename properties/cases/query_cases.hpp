// The cases of a default gate for mla_query and head: every query profile on small shapes (one token and several, two batches,
// strided tokens, no rank) and on the model's shape with a few tokens.
#pragma once
#include "properties/cases/gate_cases.hpp"

namespace ulpgate {

// d: 0 for small shapes and the model's; else that width alone, small otherwise unless it is the model's.
std::vector<Case> query_cases(const Op&, const Claim&, std::int64_t d, const GateOptions&);

}  // namespace ulpgate
