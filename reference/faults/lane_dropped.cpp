#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, lane_dropped) = {
    .kind = "lane.dropped",
    .stage = Stage::columns,
    .line = "S leaves column COLUMN out",
    .param = "COLUMN",
    .fix = "sum every column, the tail after the last whole vector included",
    .default_param = [](std::int64_t d) { return static_cast<double>(d - 1); },
    .change =
        [](Model& m) {
            m.weight = [](std::int64_t j, std::int64_t, double p) {
                return static_cast<double>(j) == p ? 0 : 1;
            };
        },
};

}  // namespace ulpgate::faults
