#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_sum_not_mean) = {
    "stat.sum_not_mean", Stage::mean, "m = S", "",
    "divide the sum of squares by d", nullptr,
    [](Model& m) { m.mean = [](float s, std::span<const float>, double) { return s; }; }};

}  // namespace ulpgate::faults
