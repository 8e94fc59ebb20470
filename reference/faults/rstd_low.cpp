#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, rstd_low) = {
    "rstd.low", Stage::rsqrt, "r = T(r)", "",
    "keep r in f32: rounded to T it scales the whole row by one wrong number", nullptr,
    [](Model& m) { m.scale = [](const Model& model, float r) { return round_to(model.contract.x, r); }; },
    identity_in_f32};

}  // namespace ulpgate::faults
