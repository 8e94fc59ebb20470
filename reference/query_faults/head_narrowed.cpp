#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, head_narrowed) = {
    .kind = "head.narrowed",
    .line = "logits are rounded to T although f32 sums are claimed",
    .fix = "keep the f32 sum, or claim logits=t_then_f32",
    .change = [](QueryModel& m) { m.contract.logits = Logits::t_then_f32; },
    .head = true,
    .needs = "logits=f32",
};

}  // namespace ulpgate::query_faults
