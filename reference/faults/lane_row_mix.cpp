#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, lane_row_mix) = {
    .kind = "lane.row_mix",
    .stage = Stage::sum,
    .line = "S = S of rows 2k and 2k+1 together",
    .fix =
        "reduce within the lanes of one row: a shuffle over the whole warp or register adds its neighbour's",
    .change =
        [](Model& m) {
            m.partner = [](std::int64_t row, std::int64_t rows) { return (row ^ 1) < rows ? row ^ 1 : row; };
        },
};

}  // namespace ulpgate::faults
