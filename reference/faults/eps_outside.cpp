#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_outside) = {
    "eps.outside", Stage::eps, "r = 1 / (sqrt(m) + eps)", "",
    "add eps to the mean square, inside the root", nullptr,
    [](Model& m) { m.root = [](float, const Moments& s, double) { return std::sqrt(s.ms) + s.eps; }; }};

}  // namespace ulpgate::faults
