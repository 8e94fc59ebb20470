#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, sq_underflow) = {
    .kind = "sq.underflow",
    .stage = Stage::sum,
    .line = "x*x below 2^-126 counts as 0",
    .fix = "compile without flush-to-zero, or claim ftz=sum",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                std::vector<float> kept(x.begin(), x.end());
                for (float& v : kept)
                    if (v * v < 0x1p-126f) v = 0;
                return model.squares_sum(kept, model.contract.sq, model.contract.acc);
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.ftz.find("sum") != c.ftz.npos) return "ftz=sum claims this";
        return c.x == Type::fp16 ? "the square of an fp16 value is 0 or at least 2^-48" : "";
    },
    .needs = "squares below 2^-126 and an eps that does not hide them",
};

}  // namespace ulpgate::faults
