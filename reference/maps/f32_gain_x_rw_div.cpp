// y = RN_y(x (W / rms)); without a gain x / rms.
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, f32_gain_x_rw_div) = {
    "f32_gain,assoc=x_rw,by=div", Map::f32_gain, Assoc::x_rw, By::div,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float rms,
       std::span<float> out) {
        gain_then_cast(
            t, narrow, x, w, out, [rms](float v, float W) { return v * (W / rms); }, [rms](float v) { return v / rms; });
    }};

}  // namespace ulpgate::maps
