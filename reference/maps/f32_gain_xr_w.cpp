// y = RN_y((x r) W): the reciprocal rms first, then the gain, one cast at the end.
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, f32_gain_xr_w) = {
    "f32_gain,assoc=xr_w", Map::f32_gain, Assoc::xr_w, By::mul,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float r,
       std::span<float> out) {
        gain_then_cast(
            t, narrow, x, w, out, [r](float v, float W) { return v * r * W; }, [r](float v) { return v * r; });
    }};

}  // namespace ulpgate::maps
