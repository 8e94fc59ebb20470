#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, fp8_scale_shifted) = {
    .kind = "mla.fp8_scale_shifted",
    .line = "each block takes the scale of the block before it in its row",
    .fix = "start the scale index at the block of the first column",
    .change = [](QueryModel& m) { m.pieces.block = [](std::int64_t, std::int64_t, BlockIndex b) { return BlockIndex{b.row, b.column ? b.column - 1 : 0}; }; },
    .head = true,
    .needs = "weights=e4m3:128x128",
};

}  // namespace ulpgate::query_faults
