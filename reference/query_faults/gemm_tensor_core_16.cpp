#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_tensor_core_16) = {
    .kind = "gemm.tensor_core_16",
    .line = "sums are those of tensor cores of compute capability 9.0: groups of 16 products, aligned to the largest, cut after 25 bits",
    .fix = "accumulate in f32, or claim a.order=mma:16x25,b.order=mma:16x25",
    .change = [](QueryModel& m) { m.contract.a_order = m.contract.b_order = "mma:16x25"; },
    .head = true,
    .restated = true,
};

}  // namespace ulpgate::query_faults
