#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_transposed) = {
    .kind = "gemm.transposed",
    .line = "the matrix is read as [in, out]",
    .fix = "y = x w^T: rows of w are outputs",
    .change = [](QueryModel& m) { m.pieces.transposed = true; },
    .head = true,
};

}  // namespace ulpgate::query_faults
