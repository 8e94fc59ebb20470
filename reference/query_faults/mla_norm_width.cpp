#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_norm_width) = {
    .kind = "mla.norm_width",
    .line = "the latent norms take the mean square over the whole fused row",
    .fix = "normalise each slice by itself: q_rank and kv_rank columns",
    .change = [](QueryModel& m) { m.pieces.wide_norm = true; },
    .needs = "kv=fused",
};

}  // namespace ulpgate::query_faults
