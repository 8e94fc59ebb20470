#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_partial_width) = {
    .kind = "stat.partial_width",
    .stage = Stage::columns,
    .line = "m = (sum of the first COLUMNS squares) / COLUMNS",
    .param = "COLUMNS",
    .fix = "take the mean square over all d columns",
    .default_param = [](std::int64_t d) { return static_cast<double>(d > 1 ? d / 2 : 1); },
    .change =
        [](Model& m) {
            m.weight = [](std::int64_t j, std::int64_t, double p) {
                return static_cast<double>(j) < p ? 1 : 0;
            };
            m.mean = [](const Moments& s, double p) { return s.s / static_cast<float>(p); };
        },
    .also = {Stage::mean},
};

}  // namespace ulpgate::faults
