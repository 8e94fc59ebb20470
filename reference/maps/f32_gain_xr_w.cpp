// y = RN_y((x r) W): the reciprocal rms first, then the gain, one cast at the end.
#include "reference/maps/agreeing.hpp"

namespace ulpgate::maps {
namespace {

struct Arithmetic {
    template <class V>
    ULPGATE_INLINE static void n(const V& x, const V& r, V& out) { out = x * r; }
    template <class V>
    ULPGATE_INLINE static void f(const V& x, const V& W, const V& r, V& out) { out = x * r * W; }
};

}  // namespace

PIECE(MapPiece, f32_gain_xr_w) = f32_gain_piece<Arithmetic>("f32_gain,assoc=xr_w", Assoc::xr_w, By::mul);

}  // namespace ulpgate::maps
