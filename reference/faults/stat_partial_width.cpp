#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_partial_width) = {
    "stat.partial_width", Stage::columns, "m = (sum of the first COLUMNS squares) / COLUMNS", "COLUMNS",
    "take the mean square over all d columns", [](std::int64_t d) { return static_cast<double>(d > 1 ? d / 2 : 1); },
    [](Model& m) {
        m.weight = [](std::int64_t j, std::int64_t, double p) { return static_cast<double>(j) < p ? 1 : 0; };
        m.mean = [](float s, std::span<const float>, double p) { return s / static_cast<float>(p); };
    }};

}  // namespace ulpgate::faults
