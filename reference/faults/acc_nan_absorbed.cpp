#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, acc_nan_absorbed) = {
    .kind = "acc.nan_absorbed",
    .stage = Stage::sum,
    .line = "S = min(S, largest f32), which also swallows a NaN",
    .fix = "let Inf and NaN through the reduction: fmin and fmax return the other operand of a NaN",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                return std::fmin(model.squares_sum(x, model.contract.sq, model.contract.acc),
                                 std::numeric_limits<float>::max());
            };
        },
    .needs = "a NaN, an Inf or a sum that overflows",
};

}  // namespace ulpgate::faults
