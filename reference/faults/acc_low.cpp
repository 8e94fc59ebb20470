#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, acc_low) = {
    .kind = "acc.low",
    .stage = Stage::sum,
    .line = "s = T(s + T(x*x))",
    .fix = "sum the squares in f32: in bf16 a sum stalls at 256 times its addend, in fp16 at 2048 times",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                return model.squares_sum(x, Accumulate::t, Accumulate::t);
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.acc == Accumulate::t && c.sq == Accumulate::t ? "sq=t,acc=t claims this sum"
                                                               : identity_in_f32(c);
    },
};

}  // namespace ulpgate::faults
