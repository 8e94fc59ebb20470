#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_bias_after_cast) = {
    .kind = "gemm.bias_after_cast",
    .line = "the bias is added after the rounding to T",
    .fix = "add the bias to the f32 sum, or claim bias=after",
    .change = [](QueryModel& m) { m.contract.bias = Bias::after; },
    .needs = "bias=before",
};

}  // namespace ulpgate::query_faults
