#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, layout_row_stride) = {
    "layout.row_stride", Stage::address, "row i of x begins at i * d", "",
    "step from row to row by the row stride, not by d", nullptr,
    [](Model& m) { m.address = [](std::int64_t row, std::int64_t, std::int64_t d) { return row * d; }; }};

}  // namespace ulpgate::faults
