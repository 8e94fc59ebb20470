#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_low_dtype) = {
    .kind = "eps.low_dtype",
    .stage = Stage::epsilon,
    .line = "eps = T(eps)",
    .fix = "pass eps as a float or double: in fp16 1e-8 is 0",
    .change =
        [](Model& m) {
            m.epsilon = [](const Model& model, double eps, double) {
                return round_to(model.contract.x, static_cast<float>(eps));
            };
        },
    .invisible = identity_in_f32,
};

}  // namespace ulpgate::faults
