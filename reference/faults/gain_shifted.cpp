#include <algorithm>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, gain_shifted) = {
    .kind = "gain.shifted",
    .stage = Stage::gain,
    .line = "W[j] = w[(j + SHIFT) mod d]",
    .param = "SHIFT",
    .fix = "read the gain of the column that is written",
    .default_param = [](std::int64_t) { return 1.0; },
    .change =
        [](Model& m) {
            m.gains = [](const MapTypes&, std::span<float> w, double p) {
                const auto by = static_cast<std::size_t>(p) % w.size();
                std::rotate(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(by), w.end());
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.gain == Gain::none ? "gain=none: there is no gain" : "";
    },
};

}  // namespace ulpgate::faults
