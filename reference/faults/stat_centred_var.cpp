#include "reference/faults/centre.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_centred_var) = {
    .kind = "stat.centred_var",
    .stage = Stage::sum,
    .line = "S = sum of (x - mean(x))^2",
    .fix = "take the mean of the squares: RMSNorm subtracts no mean",
    .change = [](Model& m) { m.sum = centred_sum; },
};

}  // namespace ulpgate::faults
