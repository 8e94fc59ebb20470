#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, lane_double) = {
    "lane.double", Stage::columns, "S counts column COLUMN twice", "COLUMN",
    "sum every column once: overlapping vectors count their common columns twice",
    [](std::int64_t d) { return static_cast<double>(d - 1); },
    [](Model& m) {
        m.weight = [](std::int64_t j, std::int64_t, double p) { return static_cast<double>(j) == p ? 2 : 1; };
    }};

}  // namespace ulpgate::faults
