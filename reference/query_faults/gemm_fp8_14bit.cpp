#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_fp8_14bit) = {
    .kind = "gemm.fp8_14bit",
    .line = "sums keep 13 bits below their largest term, promoted to f32 every 128 columns (e4m3 on tensor cores)",
    .fix = "promote partial sums to f32 more often, or claim a.order=mma:32x13:128,b.order=mma:32x13:128",
    .change = [](QueryModel& m) { m.contract.a_order = m.contract.b_order = "mma:32x13:128"; },
    .head = true,
    .restated = true,
    .needs = "weights=e4m3:128x128",
};

}  // namespace ulpgate::query_faults
