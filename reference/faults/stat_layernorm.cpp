#include "reference/faults/centre.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_layernorm) = {
    .kind = "stat.layernorm",
    .stage = Stage::sum,
    .line = "x = x - mean(x), then S = sum of x^2",
    .fix = "do not subtract the mean: that is LayerNorm",
    .change =
        [](Model& m) {
            m.sum = centred_sum;
            m.element = centre;
        },
    .also = {Stage::element},
};

}  // namespace ulpgate::faults
