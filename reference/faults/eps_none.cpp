#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_none) = {
    .kind = "eps.none",
    .stage = Stage::eps,
    .line = "v = m",
    .fix = "add eps to the mean square: a row of zeros gives NaN without it",
    .change = [](Model& m) { m.with_eps = [](const Moments& s, double) { return s.ms; }; },
};

}  // namespace ulpgate::faults
