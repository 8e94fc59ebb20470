#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, fp8_scale_inverted) = {
    .kind = "mla.fp8_scale_inverted",
    .line = "blocks are divided by their scale",
    .fix = "weight_scale_inv multiplies",
    .change = [](QueryModel& m) { m.pieces.scale = [](float s) { return 1.0f / s; }; },
    .head = true,
    .needs = "weights=e4m3:128x128",
};

}  // namespace ulpgate::query_faults
