#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_tail_k) = {
    .kind = "gemm.tail_k",
    .line = "sums leave out the last column of K",
    .fix = "add the tail of K",
    .change = [](QueryModel& m) { m.pieces.dropped = 1; },
    .head = true,
};

}  // namespace ulpgate::query_faults
