#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_value) = {
    "eps.value", Stage::eps, "v = m + EPS, whatever eps is given", "EPS",
    "use the eps that is passed in, not a constant", [](std::int64_t) { return 1e-5; },
    [](Model& m) { m.with_eps = [](const Moments& s, double p) { return s.ms + static_cast<float>(p); }; }};

}  // namespace ulpgate::faults
