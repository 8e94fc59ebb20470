#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_in_sum) = {
    "eps.in_sum", Stage::eps, "v = (S + eps) / d", "",
    "add eps after the division by d, not to the sum", nullptr,
    [](Model& m) { m.with_eps = [](const Moments& s, double) { return (s.s + s.eps) / s.n; }; }};

}  // namespace ulpgate::faults
