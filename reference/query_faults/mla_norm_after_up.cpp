#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_norm_after_up) = {
    .kind = "mla.norm_after_up",
    .line = "each head of q is normalised after q_b_proj instead of q_a before it",
    .fix = "normalise the latent, before q_b_proj",
    .change = [](QueryModel& m) { m.pieces.norm = false; m.pieces.norm_each_head = true; },
};

}  // namespace ulpgate::query_faults
