// y = RN_y(x (r W)): reciprocal rms and gain become one factor.
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, f32_gain_x_rw) = {
    "f32_gain,assoc=x_rw", Map::f32_gain, Assoc::x_rw, By::mul,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float r,
       std::span<float> out) {
        gain_then_cast(
            t, narrow, x, w, out, [r](float v, float W) { return v * (r * W); }, [r](float v) { return v * r; });
    }};

}  // namespace ulpgate::maps
