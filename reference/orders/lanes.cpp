// LANES wide vectors into ACCS accumulators, whole steps only; the accumulators are joined one after the
// other, then the lanes by a halving tree; the tail follows in order.
#include "reference/orders/order.hpp"

namespace ulpgate::orders {

struct Lanes {
    template <class A>
    typename A::S operator()(A a, std::size_t n, OrderParams p) const {
        const auto lanes = static_cast<std::size_t>(p[0]), accs = static_cast<std::size_t>(p[1]);
        const auto step = lanes * accs, whole = n - n % step;
        std::vector<typename A::S> s(step, a.zero());
        for (std::size_t i = 0; i < whole; i += step)
            for (std::size_t k = 0; k < step; ++k) s[k] = a.mac(s[k], i + k);
        for (std::size_t c = 1; c < accs; ++c)
            for (std::size_t l = 0; l < lanes; ++l) s[l] = a.add(s[l], s[c * lanes + l]);
        s.resize(lanes);
        auto sum = halve(a, std::move(s));
        for (std::size_t i = whole; i < n; ++i) sum = a.mac(sum, i);
        return sum;
    }
};
PIECE(Order, lanes) = make_order<Lanes>("lanes", "LANESxACCS", "8x4", "SIMD loops with a scalar tail");

}  // namespace ulpgate::orders
