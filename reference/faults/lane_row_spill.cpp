#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, lane_row_spill) = {
    .kind = "lane.row_spill",
    .stage = Stage::rows,
    .line = "odd d: S counts the value after the row's end too",
    .fix = "mask the second half of the last pair: with odd d it belongs to the next row",
    .change = [](Model& m) { m.spill = [](std::int64_t d) { return d % 2; }; },
};

}  // namespace ulpgate::faults
