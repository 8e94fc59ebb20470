#include <algorithm>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_floor) = {
    .kind = "eps.floor",
    .stage = Stage::epsilon,
    .line = "v = m + max(eps, EPS)",
    .param = "EPS",
    .fix = "use the eps that is passed in, without a lower bound",
    .default_param = [](std::int64_t) { return 1e-4; },
    .change =
        [](Model& m) {
            m.epsilon = [](const Model&, double eps, double p) {
                return std::max(static_cast<float>(eps), static_cast<float>(p));
            };
        },
};

}  // namespace ulpgate::faults
