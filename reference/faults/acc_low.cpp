#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, acc_low) = {
    "acc.low", Stage::sum, "s = T(s + T(x*x))", "",
    "sum the squares in f32: in bf16 a sum stalls at 256 times its addend, in fp16 at 2048 times", nullptr,
    [](Model& m) {
        m.sum = [](const Model& model, std::span<const float> x) {
            return model.squares_sum(x, Accumulate::t, Accumulate::t);
        };
    },
    [](const Contract& c) -> std::string_view {
        return c.acc == Accumulate::t && c.sq == Accumulate::t ? "sq=t,acc=t claims this sum" : identity_in_f32(c);
    }};

}  // namespace ulpgate::faults
