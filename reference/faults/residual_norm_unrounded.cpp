#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, residual_norm_unrounded) = {
    .kind = "residual.norm_unrounded",
    .stage = Stage::residual,
    .line = "n takes x + residual unrounded, the statistic takes it rounded",
    .fix = "normalise the same sum that the statistic is of: the rounded one",
    .change = [](Model& m) { m.mix = Residual::norm_unrounded; },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.residual == Residual::none) return "residual=none: nothing is added";
        if (c.residual == Residual::norm_unrounded) return "residual=norm_unrounded claims this";
        return c.res == Type::f32 ? "the residual is f32: rounding the sum to it is the identity" : "";
    },
    .base = "cast_first,residual=rounded",
};

}  // namespace ulpgate::faults
