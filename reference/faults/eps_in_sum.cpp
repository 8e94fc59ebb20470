#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_in_sum) = {
    .kind = "eps.in_sum",
    .stage = Stage::eps,
    .line = "v = (S + eps) / d",
    .fix = "add eps after the division by d, not to the sum",
    .change = [](Model& m) { m.with_eps = [](const Moments& s, double) { return (s.s + s.eps) / s.n; }; },
};

}  // namespace ulpgate::faults
