// y = RN_y(W RN_T(x r)): the specification's order.
// Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 106-111.
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

PIECE(MapPiece, cast_first) = {
    "cast_first", Map::cast_first, Assoc::any, By::mul,
    [](const MapTypes& t, Narrow narrow, std::span<const float> x, std::span<const float> w, float r,
       std::span<float> out) { cast_then_gain(t, narrow, x, w, out, [r](float v) { return v * r; }); }};

}  // namespace ulpgate::maps
