#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, sq_overflow_fp16) = {
    .kind = "sq.overflow_fp16",
    .stage = Stage::sum,
    .line = "S = sum of fp16(x*x): Inf from 256 on, 0 below 2^-13",
    .fix = "square in f32",
    .change =
        [](Model& m) {
            m.sum = [](const Model& model, std::span<const float> x) {
                std::vector<float> squares(x.size());
                for (std::size_t j = 0; j < x.size(); ++j) squares[j] = round_to(Type::fp16, x[j] * x[j]);
                return model.order.order->terms({squares.data()}, x.size(), model.order.p);
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.x == Type::fp16 ? "T is fp16: upcast.missing is this line" : "";
    },
};

}  // namespace ulpgate::faults
