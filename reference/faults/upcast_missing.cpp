#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, upcast_missing) = {
    .kind = "upcast.missing",
    .stage = Stage::sum,
    .line = "S = sum of T(x*x)",
    .fix = "widen x to f32 before it is squared",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                return model.squares_sum(x, Accumulate::t, Accumulate::f32);
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.sq == Accumulate::t ? "sq=t claims this" : identity_in_f32(c);
    },
};

}  // namespace ulpgate::faults
