#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, acc_low_prediv) = {
    .kind = "acc.low_prediv",
    .stage = Stage::sum,
    .line = "m = T sum of T(x * T(x * T(1/d)))",
    .fix = "sum the squares in f32 and divide once: neither the factor nor the partial sums may be T",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                const Type t = model.contract.x;
                if (t == Type::f32) return model.squares_sum(x, model.contract.sq, model.contract.acc);  // nothing is lost
                const float part = round_to(t, 1.0f / static_cast<float>(x.size()));
                std::vector<float> shares(x.size());
                for (std::size_t j = 0; j < x.size(); ++j) shares[j] = round_to(t, x[j] * part);
                return model.order.order->low({x.data(), narrow_to(t), true, shares.data()}, x.size(), model.order.p);
            };
            m.mean = [](const Moments& s, double) { return s.t == Type::f32 ? s.s / s.n : s.s; };
        },
    .invisible = identity_in_f32,
    .also = {Stage::mean},
};

}  // namespace ulpgate::faults
