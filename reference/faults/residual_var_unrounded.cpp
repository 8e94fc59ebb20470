#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, residual_var_unrounded) = {
    .kind = "residual.var_unrounded",
    .stage = Stage::residual,
    .line = "the statistic takes x + residual unrounded, n takes it rounded",
    .fix = "take the statistic of the same sum that is normalised: the rounded one",
    .change = [](Model& m) { m.mix = Residual::var_unrounded; },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.residual == Residual::none) return "residual=none: nothing is added";
        if (c.residual == Residual::var_unrounded) return "residual=var_unrounded claims this";
        return c.res == Type::f32 ? "the residual is f32: rounding the sum to it is the identity" : "";
    },
    .base = "cast_first,residual=rounded",
};

}  // namespace ulpgate::faults
