#include "reference/faults/centre.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_layernorm) = {
    "stat.layernorm", Stage::sum, "x = x - mean(x), then S = sum of x^2", "",
    "do not subtract the mean: that is LayerNorm", nullptr,
    [](Model& m) {
        m.sum = centred_sum;
        m.element = centre;
    }};

}  // namespace ulpgate::faults
