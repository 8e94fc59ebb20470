#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, gain_offset) = {
    .kind = "gain.offset",
    .stage = Stage::gain,
    .line = "W = w + OFFSET",
    .param = "OFFSET",
    .fix = "add to the stored gain what the contract says: 0 (gain=given) or 1 (gain=one_plus)",
    .default_param = [](std::int64_t) { return 1.0; },
    .change =
        [](Model& m) {
            m.gain = [](const MapTypes& t, float w, double p) {
                const float offset = static_cast<float>(p) + (t.gain == Gain::given ? 0.0f : 1.0f);
                return t.gain == Gain::one_plus_t ? round_to(t.x, offset + w) : offset + w;
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.gain == Gain::none ? "gain=none: there is no gain" : "";
    },
};

}  // namespace ulpgate::faults
