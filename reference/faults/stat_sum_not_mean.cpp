#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_sum_not_mean) = {
    .kind = "stat.sum_not_mean",
    .stage = Stage::mean,
    .line = "m = S",
    .fix = "divide the sum of squares by d",
    .change = [](Model& m) { m.mean = [](const Moments& s, double) { return s.s; }; },
};

}  // namespace ulpgate::faults
