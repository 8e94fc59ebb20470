#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

// The smallest step above 1: bf16 2^-7, fp16 2^-10, f32 2^-23.
PIECE(Fault, eps_default_dtype) = {
    .kind = "eps.default_dtype",
    .stage = Stage::epsilon,
    .line = "eps = finfo(T).eps, whatever eps is given",
    .fix = "use the eps that is passed in: the default of the type is not it",
    .change =
        [](Model& m) {
            m.epsilon = [](const Model& model, double, double) {
                return std::ldexp(1.0f, 1 - precision(model.contract.x));
            };
        },
};

}  // namespace ulpgate::faults
