#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_value) = {
    .kind = "eps.value",
    .stage = Stage::eps,
    .line = "v = m + EPS, whatever eps is given",
    .param = "EPS",
    .fix = "use the eps that is passed in, not a constant",
    .default_param = [](std::int64_t) { return 1e-5; },
    .change =
        [](Model& m) {
            m.with_eps = [](const Moments& s, double p) { return s.ms + static_cast<float>(p); };
        },
};

}  // namespace ulpgate::faults
