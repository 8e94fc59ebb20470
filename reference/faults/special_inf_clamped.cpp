#include "reference/faults/fault.hpp"

namespace ulpgate::faults {
namespace {

void clamp_to_finite(const Model& m, std::span<float> x) {
    const float most = with_format(m.contract.x, [](auto f) { return f.decode(f.max_word); });
    for (float& v : x) v = v > most ? most : v < -most ? -most : v;  // keeps a NaN
}

}  // namespace

PIECE(Fault, special_inf_clamped) = {
    .kind = "special.inf_clamped",
    .stage = Stage::element,
    .line = "x = clamp(x, -max T, max T)",
    .fix = "do not clamp the input: Inf has to give NaN",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                std::vector<float> kept(x.begin(), x.end());
                clamp_to_finite(model, kept);
                return model.squares_sum(kept, model.contract.sq, model.contract.acc);
            };
            m.element = clamp_to_finite;
        },
    .also = {Stage::sum},
    .needs = "an Inf",
};

}  // namespace ulpgate::faults
