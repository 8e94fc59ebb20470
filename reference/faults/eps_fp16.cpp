#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, eps_fp16) = {
    .kind = "eps.fp16",
    .stage = Stage::epsilon,
    .line = "eps = fp16(eps)",
    .fix = "pass eps as a float or double: in fp16 1e-8 is 0",
    .change =
        [](Model& m) {
            m.epsilon = [](const Model&, double eps, double) { return round_to(Type::fp16, static_cast<float>(eps)); };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.x == Type::fp16 ? "T is fp16: eps.low_dtype is this line" : "";
    },
};

}  // namespace ulpgate::faults
