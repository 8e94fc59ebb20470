#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, lane_double) = {
    .kind = "lane.double",
    .stage = Stage::columns,
    .line = "S counts column COLUMN twice",
    .param = "COLUMN",
    .fix = "sum every column once: overlapping vectors count their common columns twice",
    .default_param = [](std::int64_t d) { return static_cast<double>(d - 1); },
    .change =
        [](Model& m) {
            m.weight = [](std::int64_t j, std::int64_t, double p) {
                return static_cast<double>(j) == p ? 2 : 1;
            };
        },
};

}  // namespace ulpgate::faults
