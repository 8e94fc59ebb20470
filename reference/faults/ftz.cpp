#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, ftz) = {
    .kind = "ftz",
    .stage = Stage::round,
    .line = "n and y below 2^-126 become 0",
    .fix = "clear FTZ, or claim ftz=y",
    .change =
        [](Model& m) {
            m.narrow = [](Type t, std::span<float> v) {
                const auto flush = [&] {
                    for (float& e : v)
                        if (std::fabs(e) < 0x1p-126f) e = std::copysign(0.0f, e);
                };
                flush();
                narrow_nearest(t, v);
                flush();
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.x == Type::fp16 && c.y == Type::fp16 ? "what fp16 holds is a normal f32" : "";
    },
    .needs = "a subnormal output",
};

}  // namespace ulpgate::faults
