#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_gain_folded) = {
    .kind = "mla.gain_folded",
    .line = "the gain is folded into q_b: T(w gain)",
    .fix = "multiply by the gain in the norm",
    .change = [](QueryModel& m) { m.pieces.folded_gain = true; },
};

}  // namespace ulpgate::query_faults
