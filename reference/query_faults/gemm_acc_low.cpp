#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_acc_low) = {
    .kind = "gemm.acc_low",
    .line = "sums are kept in T",
    .fix = "accumulate in f32",
    .change = [](QueryModel& m) { m.pieces.low_sum = true; },
    .head = true,
    .restated = true,
};

}  // namespace ulpgate::query_faults
