// y = RN_y((x W) r): the gain first; exact in f32 for 16-bit x and w.
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, f32_gain_xw_r) = {
    "f32_gain,assoc=xw_r", Map::f32_gain, Assoc::xw_r, By::mul,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float r,
       std::span<float> out) {
        gain_then_cast(
            t, narrow, x, w, out, [r](float v, float W) { return v * W * r; }, [r](float v) { return v * r; });
    }};

}  // namespace ulpgate::maps
