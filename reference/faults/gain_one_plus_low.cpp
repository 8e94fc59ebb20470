#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, gain_one_plus_low) = {
    .kind = "gain.one_plus_low",
    .stage = Stage::gain,
    .line = "W = T(1 + w)",
    .fix = "add 1 to the gain in f32, or claim gain=one_plus_t",
    .change =
        [](Model& m) { m.gain = [](const MapTypes& t, float w, double) { return round_to(t.x, 1.0f + w); }; },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.gain != Gain::one_plus) return "no line 1 + w in f32: say gain=one_plus";
        return identity_in_f32(c);
    },
    .base = "cast_first,gain=one_plus",
};

}  // namespace ulpgate::faults
