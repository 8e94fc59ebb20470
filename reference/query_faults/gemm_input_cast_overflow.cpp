#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, gemm_input_cast_overflow) = {
    .kind = "gemm.input_cast_overflow",
    .line = "the input passes through fp16",
    .fix = "keep the input in its type",
    .change = [](QueryModel& m) { m.pieces.cast = Type::fp16; },
    .head = true,
};

}  // namespace ulpgate::query_faults
