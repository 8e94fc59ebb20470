// A block of THREADS a row: thread t sums the VEC-wide vectors t, t + THREADS, …; each warp of 32 by a
// halving shuffle, then one warp the warps' sums (absent ones are zero).
#include <bit>

#include "reference/orders/order.hpp"

namespace ulpgate::orders {

struct CudaBlock {
    static constexpr std::size_t warp = 32;

    template <class A>
    typename A::S operator()(A a, std::size_t n, OrderParams p) const {
        const auto threads = static_cast<std::size_t>(p[0]), vec = static_cast<std::size_t>(p[1]);
        const auto warps = (threads + warp - 1) / warp;
        std::vector<typename A::S> s(warps * warp, a.zero());
        for (std::size_t i = 0, t = 0; i < n; i += vec, t = t + 1 == threads ? 0 : t + 1)
            for (std::size_t k = i; k < std::min(i + vec, n); ++k) s[t] = a.mac(s[t], k);
        std::vector<typename A::S> sums(std::bit_ceil(warps), a.zero());
        for (std::size_t w = 0; w < warps; ++w) {
            const auto first = s.begin() + static_cast<std::ptrdiff_t>(w * warp);
            sums[w] = halve(a, std::vector<typename A::S>(first, first + warp));
        }
        return halve(a, std::move(sums));
    }
};
PIECE(Order, cuda_block) = make_order<CudaBlock>("cuda_block", "THREADSxVEC", "256x1", "a CUDA block a row");

}  // namespace ulpgate::orders
