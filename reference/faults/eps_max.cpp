#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_max) = {
    .kind = "eps.max",
    .stage = Stage::eps,
    .line = "v = max(m, eps)",
    .fix = "add eps to the mean square instead of taking the larger of the two",
    .change =
        [](Model& m) {
            m.with_eps = [](const Moments& s, double) { return s.ms < s.eps ? s.eps : s.ms; };  // keeps a NaN
        },
};

}  // namespace ulpgate::faults
