#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_tensor_core_8) = {
    .kind = "gemm.tensor_core_8",
    .line = "sums are those of tensor cores of compute capability 8.x: groups of 8 products, aligned to the largest, cut after 24 bits",
    .fix = "accumulate in f32, or claim a.order=mma:8x24,b.order=mma:8x24",
    .change = [](QueryModel& m) { m.contract.a_order = m.contract.b_order = "mma:8x24"; },
    .head = true,
    .restated = true,
};

}  // namespace ulpgate::query_faults
