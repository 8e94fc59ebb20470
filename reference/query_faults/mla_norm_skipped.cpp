#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_norm_skipped) = {
    .kind = "mla.norm_skipped",
    .line = "q_a is not normalised",
    .fix = "apply q_a_layernorm between the projections",
    .change = [](QueryModel& m) { m.pieces.norm = false; },
};

}  // namespace ulpgate::query_faults
