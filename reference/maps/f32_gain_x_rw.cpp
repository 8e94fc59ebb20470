// y = RN_y(x (r W)): reciprocal rms and gain become one factor.
#include "reference/maps/agreeing.hpp"

namespace ulpgate::maps {
namespace {

struct Arithmetic {
    template <class V>
    ULPGATE_INLINE static void n(const V& x, const V& r, V& out) { out = x * r; }
    template <class V>
    ULPGATE_INLINE static void f(const V& x, const V& W, const V& r, V& out) { out = x * (r * W); }
};

}  // namespace

PIECE(MapPiece, f32_gain_x_rw) = f32_gain_piece<Arithmetic>("f32_gain,assoc=x_rw", Assoc::x_rw, By::mul);

}  // namespace ulpgate::maps
