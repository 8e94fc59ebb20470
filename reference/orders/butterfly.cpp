// LANES strided partials of VEC columns, joined neighbours first: xor shuffles at distance 1, 2, 4, …;
// horizontal adds. (A warp that shuffles at 16, 8, …, 1 is cuda_block:32xVEC: a halving tree.)
#include "reference/orders/order.hpp"

namespace ulpgate::orders {

struct Butterfly {
    template <class A>
    typename A::S operator()(A a, std::size_t n, OrderParams p) const {
        const auto lanes = static_cast<std::size_t>(p[0]), vec = static_cast<std::size_t>(p[1]);
        std::vector<typename A::S> s(lanes, a.zero());
        for (std::size_t i = 0, l = 0; i < n; i += vec, l = l + 1 == lanes ? 0 : l + 1)
            for (std::size_t k = i; k < std::min(i + vec, n); ++k) s[l] = a.mac(s[l], k);
        for (std::size_t distance = 1; distance < lanes; distance *= 2)
            for (std::size_t l = 0; l + distance < lanes; l += 2 * distance)
                s[l] = a.add(s[l], s[l + distance]);
        return s[0];
    }
};
PIECE(Order, butterfly) = make_order<Butterfly>("butterfly", "LANESxVEC", "32x4",
                                                "a warp a row, xor shuffles upwards; hadd");

}  // namespace ulpgate::orders
