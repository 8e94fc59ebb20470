#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, fp8_scale_transposed) = {
    .kind = "mla.fp8_scale_transposed",
    .line = "the scale table is read transposed",
    .fix = "scales are [out / 128, in / 128]",
    .change = [](QueryModel& m) { m.pieces.block = [](std::int64_t rows, std::int64_t columns, BlockIndex b) { const auto at = b.column * rows + b.row; return BlockIndex{at / columns, at % columns}; }; },
    .head = true,
    .needs = "weights=e4m3:128x128",
};

}  // namespace ulpgate::query_faults
