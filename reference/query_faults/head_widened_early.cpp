#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, head_widened_early) = {
    .kind = "head.widened_early",
    .line = "logits are the f32 sums: never rounded to T",
    .fix = "round each dot to T before it is widened, or claim logits=f32",
    .change = [](QueryModel& m) { if (m.contract.logits == Logits::t_then_f32) m.contract.logits = Logits::f32; },
    .head = true,
    .needs = "logits=t_then_f32",
};

}  // namespace ulpgate::query_faults
