#include <algorithm>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, gain_broadcast) = {
    .kind = "gain.broadcast",
    .stage = Stage::gain,
    .line = "W[j] = w[0]",
    .fix = "step through the gain with its stride: a stride of 0 repeats the first value",
    .change =
        [](Model& m) {
            m.gains = [](const MapTypes&, std::span<float> w, double) { std::fill(w.begin(), w.end(), w[0]); };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.gain == Gain::none ? "gain=none: there is no gain" : "";
    },
};

}  // namespace ulpgate::faults
