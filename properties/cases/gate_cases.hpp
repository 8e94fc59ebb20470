// The cases of a default gate for one operation and claim: every profile on the model's shape, then sizes,
// strides, offsets, batches and gains at the machine's edges. Within about 5 M elements of x a claim, and 1 M
// where it has a residual or mixed types, so that four kernels in three types are judged in half a minute.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "properties/cases/case.hpp"

namespace ulpgate {

struct GateOptions {
    std::vector<std::string> profiles;  // empty: all
    std::uint64_t seed = 0;
    bool probes = true;     // false: without the profiles that were designed with the faults in mind
    bool quick = false;     // an eighth of the rows, on the model's shape only
    bool whole = true;      // false: mla_query and head on small shapes alone, for what is executed instruction by instruction
    std::int64_t rows = 0;  // of each profile on the model's shape; 0: the profile's own
};

// d: 0 for the operation's own width and the edge sizes; else this width alone. Without real activations:
// those are activation_cases.
std::vector<Case> gate_cases(const Op&, const Claim&, std::int64_t d, const GateOptions&);

}  // namespace ulpgate
