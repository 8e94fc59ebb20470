// y = RN_y((x W) / rms).
#include "reference/maps/agreeing.hpp"

namespace ulpgate::maps {
namespace {

struct Arithmetic {
    template <class V>
    ULPGATE_INLINE static void n(const V& x, const V& rms, V& out) { out = x / rms; }
    template <class V>
    ULPGATE_INLINE static void f(const V& x, const V& W, const V& rms, V& out) { out = x * W / rms; }
};

}  // namespace

PIECE(MapPiece, f32_gain_xw_r_div) = f32_gain_piece<Arithmetic>("f32_gain,assoc=xw_r,by=div", Assoc::xw_r, By::div);

}  // namespace ulpgate::maps
