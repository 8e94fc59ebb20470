#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_splitk_low) = {
    .kind = "gemm.splitk_low",
    .line = "K in two halves, each partial sum rounded to T",
    .fix = "keep partial sums in f32, or claim a.part=t,b.part=t",
    .change = [](QueryModel& m) { m.pieces.splits = 2; },
    .head = true,
    .restated = true,
};

}  // namespace ulpgate::query_faults
