#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_outside) = {
    .kind = "eps.outside",
    .stage = Stage::eps,
    .line = "r = 1 / (sqrt(m) + eps)",
    .fix = "add eps to the mean square, inside the root",
    .change =
        [](Model& m) { m.root = [](float, const Moments& s, double) { return std::sqrt(s.ms) + s.eps; }; },
};

}  // namespace ulpgate::faults
