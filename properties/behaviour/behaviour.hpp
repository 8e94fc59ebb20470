// What a kernel keeps the same: relations held against its own bits. A change is a finding; a failure only where the claim
// holds the invariance (holds=rerun.batch.align.stride, inplace=may). alias: y in x's memory, and residual_out in residual's, as the
// ABI lets a kernel work in place; no output may be another input's memory.
#pragma once
#include <string>
#include <vector>

#include "properties/order/prober.hpp"

namespace ulpgate {

struct Relation {
    std::string name;  // "rerun", "threads", "batch", "align", "stride", "alias"
    std::string what;  // "50 runs of 64 rows"
    bool held = true, claimed = false, skipped = false;  // skipped: refused, or not to be asked; the finding says why
    std::string finding;            // where it does not hold: which row, column and bits
    std::int64_t comparisons = 0;   // rows compared
    std::string line;               // case key that shows it, for a replay: "rows=256"
};

// The rows: summation orders show in them. batch covers T = 1, 2, 255, 256, 257 and every position of a row in them.
std::vector<Relation> behaviour(Prober&, const Contract& claim, int reruns = 50);

}  // namespace ulpgate
