#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_none) = {
    "eps.none", Stage::eps, "v = m", "",
    "add eps to the mean square: a row of zeros gives NaN without it", nullptr,
    [](Model& m) { m.with_eps = [](const Moments& s, double) { return s.ms; }; }};

}  // namespace ulpgate::faults
