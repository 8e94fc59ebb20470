#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

// bf16 through fp16, fp16 through bf16: the other 16-bit type stands between f32 and T.
PIECE(Fault, order_extra_round) = {
    .kind = "order.extra_round",
    .stage = Stage::round,
    .line = "T(v) passes through the other 16-bit type",
    .fix = "round once, from f32 to T: look for a buffer or a helper of the other 16-bit type",
    .change =
        [](Model& m) {
            m.narrow = [](Type t, std::span<float> v) {
                if (t == Type::f32) return;
                narrow_nearest(t == Type::bf16 ? Type::fp16 : Type::bf16, v);
                narrow_nearest(t, v);
            };
        },
    .invisible = nothing_narrowed,
};

}  // namespace ulpgate::faults
