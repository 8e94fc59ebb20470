#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, lane_dropped) = {
    "lane.dropped", Stage::columns, "S leaves column COLUMN out", "COLUMN",
    "sum every column, the tail after the last whole vector included", [](std::int64_t d) { return static_cast<double>(d - 1); },
    [](Model& m) {
        m.weight = [](std::int64_t j, std::int64_t, double p) { return static_cast<double>(j) == p ? 0 : 1; };
    }};

}  // namespace ulpgate::faults
