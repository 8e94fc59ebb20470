// y = RN_y((x W) r): the gain first; exact in f32 for 16-bit x and w.
#include "reference/maps/agreeing.hpp"

namespace ulpgate::maps {
namespace {

struct Arithmetic {
    template <class V>
    ULPGATE_INLINE static void n(const V& x, const V& r, V& out) { out = x * r; }
    template <class V>
    ULPGATE_INLINE static void f(const V& x, const V& W, const V& r, V& out) { out = x * W * r; }
};

}  // namespace

PIECE(MapPiece, f32_gain_xw_r) = f32_gain_piece<Arithmetic>("f32_gain,assoc=xw_r", Assoc::xw_r, By::mul);

}  // namespace ulpgate::maps
