// y = RN_y((x / rms) W).
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, f32_gain_xr_w_div) = {
    "f32_gain,assoc=xr_w,by=div", Map::f32_gain, Assoc::xr_w, By::div,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float rms,
       std::span<float> out) {
        gain_then_cast(
            t, narrow, x, w, out, [rms](float v, float W) { return v / rms * W; }, [rms](float v) { return v / rms; });
    }};

}  // namespace ulpgate::maps
