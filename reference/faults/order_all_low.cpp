#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

// What an eager chain of operations on T tensors computes.
PIECE(Fault, order_all_low) = {
    .kind = "order.all_low",
    .stage = Stage::sum,
    .line = "T after each line: T(x*x), T(m), T(m + T(eps)), T(r)",
    .fix = "widen x to f32 first: the statistic and r are f32",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                return model.squares_sum(x, Accumulate::t, Accumulate::f32);
            };
            m.mean = [](const Moments& s, double) { return round_to(s.t, s.s / s.n); };
            m.with_eps = [](const Moments& s, double) { return round_to(s.t, s.ms + round_to(s.t, s.eps)); };
            m.scale = [](const Model& model, float r) { return round_to(model.contract.x, r); };
        },
    .invisible = identity_in_f32,
    .also = {Stage::mean, Stage::epsilon, Stage::eps, Stage::rsqrt},
};

}  // namespace ulpgate::faults
