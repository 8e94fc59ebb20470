#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, order_gain_then_cast) = {
    .kind = "order.gain_then_cast",
    .stage = Stage::map,
    .line = "y = T((x*r)*w)",
    .fix = "round n = x*r to T before the gain multiplies it, or claim f32_gain",
    .change =
        [](Model& m) {
            const By by = m.map ? m.map->by : By::mul;
            for (const MapPiece* piece : maps::all())
                if (piece->map == Map::f32_gain && piece->assoc == Assoc::xr_w && piece->by == by)
                    m.map = piece;
        },
    .invisible = [](const Contract& c) -> std::string_view {
        if (c.map == Map::f32_gain) return "f32_gain claims this order";
        if (c.gain == Gain::none && c.x == c.y) return "gain=none: both orders round n once";
        return identity_in_f32(c);
    },
};

}  // namespace ulpgate::faults
