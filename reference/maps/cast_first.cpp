// y = RN_y(W RN_T(x r)): the specification's order.
// Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 106-111.
#include "reference/maps/agreeing.hpp"

namespace ulpgate::maps {
namespace {

struct Arithmetic {
    template <class V>
    ULPGATE_INLINE static void n(const V& x, const V& r, V& out) { out = x * r; }
};

}  // namespace

PIECE(MapPiece, cast_first) = cast_first_piece<Arithmetic>("cast_first", By::mul);

}  // namespace ulpgate::maps
