#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, fp8_scale_first_row) = {
    .kind = "mla.fp8_scale_first_row",
    .line = "every block row takes the scales of the first",
    .fix = "step the table by block rows",
    .change = [](QueryModel& m) { m.pieces.block = [](std::int64_t, std::int64_t, BlockIndex b) { return BlockIndex{0, b.column}; }; },
    .head = true,
    .needs = "weights=e4m3:128x128",
};

}  // namespace ulpgate::query_faults
