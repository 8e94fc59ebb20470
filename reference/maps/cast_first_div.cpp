// y = RN_y(W RN_T(x / rms)).
#include "reference/maps/agreeing.hpp"

namespace ulpgate::maps {
namespace {

struct Arithmetic {
    template <class V>
    ULPGATE_INLINE static void n(const V& x, const V& rms, V& out) { out = x / rms; }
};

}  // namespace

PIECE(MapPiece, cast_first_div) = cast_first_piece<Arithmetic>("cast_first,by=div", By::div);

}  // namespace ulpgate::maps
