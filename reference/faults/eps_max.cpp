#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_max) = {
    "eps.max", Stage::eps, "v = max(m, eps)", "",
    "add eps to the mean square instead of taking the larger of the two", nullptr,
    [](Model& m) {
        m.with_eps = [](const Moments& s, double) { return s.ms < s.eps ? s.eps : s.ms; };  // keeps a NaN
    }};

}  // namespace ulpgate::faults
