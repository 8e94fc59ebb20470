// y = RN_y((x / rms) W).
#include "reference/maps/agreeing.hpp"

namespace ulpgate::maps {
namespace {

struct Arithmetic {
    template <class V>
    ULPGATE_INLINE static void n(const V& x, const V& rms, V& out) { out = x / rms; }
    template <class V>
    ULPGATE_INLINE static void f(const V& x, const V& W, const V& rms, V& out) { out = x / rms * W; }
};

}  // namespace

PIECE(MapPiece, f32_gain_xr_w_div) = f32_gain_piece<Arithmetic>("f32_gain,assoc=xr_w,by=div", Assoc::xr_w, By::div);

}  // namespace ulpgate::maps
