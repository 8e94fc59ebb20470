#include <bit>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

// Little endian: the low half of a float comes first.
PIECE(Fault, gain_reinterpret) = {
    .kind = "gain.reinterpret",
    .stage = Stage::gain,
    .line = "W[j] = the j-th 16 bits of the f32 gain, as bf16",
    .fix = "read the gain in its own type",
    .change =
        [](Model& m) {
            m.gains = [](const MapTypes&, std::span<float> w, double) {
                for (std::size_t j = w.size(); j-- > 0;) {
                    const auto bits = std::bit_cast<std::uint32_t>(w[j / 2]);
                    w[j] = Bf16::decode(static_cast<std::uint16_t>(j % 2 ? bits >> 16 : bits));
                }
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.gain == Gain::none) return "gain=none: there is no gain";
        return c.w == Type::f32 ? "" : "the gain is no f32: say w=f32";
    },
    .base = "cast_first,w=f32",
};

}  // namespace ulpgate::faults
