#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_value) = {
    .kind = "eps.value",
    .stage = Stage::epsilon,
    .line = "v = m + EPS, whatever eps is given",
    .param = "EPS",
    .fix = "use the eps that is passed in, not a constant",
    .default_param = [](std::int64_t) { return 1e-5; },
    .change =
        [](Model& m) {
            m.epsilon = [](const Model&, double, double p) { return static_cast<float>(p); };
        },
};

}  // namespace ulpgate::faults
