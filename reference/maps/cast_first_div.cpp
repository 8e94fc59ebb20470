// y = RN_y(W RN_T(x / rms)).
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, cast_first_div) = {
    "cast_first,by=div", Map::cast_first, Assoc::any, By::div,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float rms,
       std::span<float> out) { cast_then_gain(t, narrow, x, w, out, [rms](float v) { return v / rms; }); }};

}  // namespace ulpgate::maps
