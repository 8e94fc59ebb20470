#include <algorithm>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, lane_tail) = {
    .kind = "lane.tail",
    .stage = Stage::columns,
    .line = "S leaves out column FROM and those after it",
    .param = "FROM",
    .fix = "sum the columns after the last whole vector or unrolled block too",
    .default_param = [](std::int64_t d) { return static_cast<double>(std::max<std::int64_t>(d - 4, 1)); },
    .change =
        [](Model& m) {
            m.weight = [](std::int64_t j, std::int64_t, double p) {
                return static_cast<double>(j) < p ? 1 : 0;
            };
        },
};

}  // namespace ulpgate::faults
