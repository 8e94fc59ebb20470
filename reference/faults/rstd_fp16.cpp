#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, rstd_fp16) = {
    .kind = "rstd.fp16",
    .stage = Stage::rsqrt,
    .line = "r = fp16(r)",
    .fix = "keep r in f32: look for a half-precision buffer between the reduction and the elements",
    .change = [](Model& m) { m.scale = [](const Model&, float r) { return round_to(Type::fp16, r); }; },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.x == Type::fp16 ? "T is fp16: rstd.low is this line" : "";
    },
    .line_by_div = "s = fp16(s), the rms",
    .fix_by_div = "keep the rms in f32: look for a half-precision buffer between the reduction and the elements",
};

}  // namespace ulpgate::faults
