#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_squared) = {
    .kind = "eps.squared",
    .stage = Stage::eps,
    .line = "v = m + eps^2",
    .fix = "add eps itself to the mean square, not its square",
    .change = [](Model& m) { m.with_eps = [](const Moments& s, double) { return s.ms + s.eps * s.eps; }; },
};

}  // namespace ulpgate::faults
