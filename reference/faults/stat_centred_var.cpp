#include "reference/faults/centre.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_centred_var) = {
    "stat.centred_var", Stage::sum, "S = sum of (x - mean(x))^2", "",
    "take the mean of the squares: RMSNorm subtracts no mean", nullptr,
    [](Model& m) { m.sum = centred_sum; }};

}  // namespace ulpgate::faults
