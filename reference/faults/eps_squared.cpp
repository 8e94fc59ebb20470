#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_squared) = {
    "eps.squared", Stage::eps, "v = m + eps^2", "",
    "add eps itself to the mean square, not its square", nullptr,
    [](Model& m) { m.with_eps = [](const Moments& s, double) { return s.ms + s.eps * s.eps; }; }};

}  // namespace ulpgate::faults
