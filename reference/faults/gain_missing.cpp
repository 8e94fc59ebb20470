#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, gain_missing) = {
    "gain.missing", Stage::gain, "W = 1", "",
    "multiply by the gain", nullptr,
    [](Model& m) { m.gain = [](const MapTypes&, float, double) { return 1.0f; }; },
    [](const Contract& c) -> std::string_view { return c.gain == Gain::none ? "gain=none claims this" : ""; }};

}  // namespace ulpgate::faults
