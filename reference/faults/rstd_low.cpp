#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, rstd_low) = {
    .kind = "rstd.low",
    .stage = Stage::rsqrt,
    .line = "r = T(r)",
    .fix = "keep r in f32: rounded to T it scales the whole row by one wrong number",
    .change =
        [](Model& m) { m.scale = [](const Model& model, float r) { return round_to(model.contract.x, r); }; },
    .invisible = identity_in_f32,
    .line_by_div = "s = T(s), the rms",
    .fix_by_div = "keep the rms in f32: rounded to T it scales the whole row by one wrong number",
};

}  // namespace ulpgate::faults
