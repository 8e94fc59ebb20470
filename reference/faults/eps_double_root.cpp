#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_double_root) = {
    .kind = "eps.double_root",
    .stage = Stage::eps,
    .line = "r = 1 / sqrt(sqrt(m + eps))",
    .fix = "take the root once",
    .change = [](Model& m) { m.with_eps = [](const Moments& s, double) { return std::sqrt(s.ms + s.eps); }; },
};

}  // namespace ulpgate::faults
