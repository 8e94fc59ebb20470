#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_floor_v) = {
    .kind = "eps.floor_v",
    .stage = Stage::eps,
    .line = "v = max(m, EPS)",
    .param = "EPS",
    .fix = "add the eps that is passed in to the mean square, instead of a lower bound",
    .default_param = [](std::int64_t) { return 1e-4; },
    .change =
        [](Model& m) {
            m.with_eps = [](const Moments& s, double p) {
                return s.ms < static_cast<float>(p) ? static_cast<float>(p) : s.ms;  // keeps a NaN
            };
        },
    .also = {Stage::epsilon},
};

}  // namespace ulpgate::faults
