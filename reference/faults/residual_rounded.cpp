#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, residual_rounded) = {
    .kind = "residual.rounded",
    .stage = Stage::residual,
    .line = "both the statistic and n take T(x + residual)",
    .fix = "keep x + residual in f32 where the contract says so",
    .change = [](Model& m) { m.mix = Residual::rounded; },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.residual == Residual::none) return "residual=none: nothing is added";
        if (c.residual == Residual::rounded) return "residual=rounded claims this";
        return c.res == Type::f32 ? "the residual is f32: rounding the sum to it is the identity" : "";
    },
    .base = "cast_first,residual=unrounded",
};

}  // namespace ulpgate::faults
