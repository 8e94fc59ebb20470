#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, v_low) = {
    .kind = "v.low",
    .stage = Stage::mean,
    .line = "m = T(S / d)",
    .fix = "keep the mean square in f32",
    .change = [](Model& m) { m.mean = [](const Moments& s, double) { return round_to(s.t, s.s / s.n); }; },
    .invisible = identity_in_f32,
};

}  // namespace ulpgate::faults
