#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, gain_missing) = {
    .kind = "gain.missing",
    .stage = Stage::gain,
    .line = "W = 1",
    .fix = "multiply by the gain",
    .change = [](Model& m) { m.gain = [](const MapTypes&, float, double) { return 1.0f; }; },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.gain == Gain::none ? "gain=none claims this" : "";
    },
};

}  // namespace ulpgate::faults
