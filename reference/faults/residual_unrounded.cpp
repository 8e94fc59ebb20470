#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, residual_unrounded) = {
    .kind = "residual.unrounded",
    .stage = Stage::residual,
    .line = "both the statistic and n take x + residual unrounded",
    .fix = "round x + residual to the type of the residual first, for the statistic and for n",
    .change = [](Model& m) { m.mix = Residual::unrounded; },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.residual == Residual::none) return "residual=none: nothing is added";
        if (c.residual == Residual::unrounded) return "residual=unrounded claims this";
        return c.res == Type::f32 ? "the residual is f32: rounding the sum to it is the identity" : "";
    },
    .base = "cast_first,residual=rounded",
};

}  // namespace ulpgate::faults
