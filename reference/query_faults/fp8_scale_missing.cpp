#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, fp8_scale_missing) = {
    .kind = "mla.fp8_scale_missing",
    .line = "the scales of the blocks are left out",
    .fix = "multiply each block by its weight_scale_inv",
    .change = [](QueryModel& m) { m.pieces.scale = [](float) { return 1.0f; }; },
    .head = true,
    .needs = "weights=e4m3:128x128",
};

}  // namespace ulpgate::query_faults
