// As lanes, but the tail's vectors are masked (absent columns add zero) and go to the accumulators in turn,
// so that every column is summed in its lane.
#include "reference/orders/order.hpp"

namespace ulpgate::orders {

struct Masked {
    template <class A>
    typename A::S operator()(A a, std::size_t n, OrderParams p) const {
        const auto lanes = static_cast<std::size_t>(p[0]), accs = static_cast<std::size_t>(p[1]);
        const auto step = lanes * accs;
        std::vector<typename A::S> s(step, a.zero());
        for (std::size_t i = 0; i < n; i += step)
            for (std::size_t k = 0; k < std::min(step, n - i); ++k) s[k] = a.mac(s[k], i + k);
        for (std::size_t c = 1; c < accs; ++c)
            for (std::size_t l = 0; l < lanes; ++l) s[l] = a.add(s[l], s[c * lanes + l]);
        s.resize(lanes);
        return halve(a, std::move(s));
    }
};
PIECE(Order, masked) = make_order<Masked>("masked", "LANESxACCS", "16x4",
                                          "SIMD loops with a masked tail: AVX-512, Triton");

}  // namespace ulpgate::orders
