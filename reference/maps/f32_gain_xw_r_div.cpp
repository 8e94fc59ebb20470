// y = RN_y((x W) / rms).
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, f32_gain_xw_r_div) = {
    "f32_gain,assoc=xw_r,by=div", Map::f32_gain, Assoc::xw_r, By::div,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float rms,
       std::span<float> out) {
        gain_then_cast(
            t, narrow, x, w, out, [rms](float v, float W) { return v * W / rms; }, [rms](float v) { return v / rms; });
    }};

}  // namespace ulpgate::maps
