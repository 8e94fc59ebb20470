#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, daz) = {
    .kind = "daz",
    .stage = Stage::element,
    .line = "x below 2^-126 counts as 0",
    .fix = "clear DAZ, or claim ftz=x",
    .change =
        [](Model& m) {
            m.element = [](const Model&, std::span<float> x) {
                for (float& v : x)
                    if (std::fabs(v) < 0x1p-126f) v = std::copysign(0.0f, v);
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.x == Type::fp16 ? "a subnormal of fp16 is a normal f32" : "";
    },
    .needs = "a subnormal x",
};

}  // namespace ulpgate::faults
