#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_rope_half) = {
    .kind = "mla.rope_half",
    .line = "columns k and rope/2 + k are rotated together, not 2k and 2k + 1",
    .fix = "rotate neighbours, or de-interleave first",
    .change = [](QueryModel& m) { m.pieces.half_pairs = true; },
    .needs = "rope=one_cast",
};

}  // namespace ulpgate::query_faults
