#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, layout_row_stride) = {
    .kind = "layout.row_stride",
    .stage = Stage::address,
    .line = "row i of x begins at i * d",
    .fix = "step from row to row by the row stride, not by d",
    .change =
        [](Model& m) { m.address = [](std::int64_t row, std::int64_t, std::int64_t d) { return row * d; }; },
};

}  // namespace ulpgate::faults
