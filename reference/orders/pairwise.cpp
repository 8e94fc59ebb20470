// Splits in halves until BLOCK columns are left; a block is eight strided partials joined neighbours first,
// its tail in order. This is numpy's pairwise sum (numpy/_core/src/umath/loops_utils.h.src), where BLOCK is
// 128.
#include "reference/orders/order.hpp"

namespace ulpgate::orders {

struct Pairwise {
    template <class A>
    typename A::S operator()(A a, std::size_t n, OrderParams p) const {
        return part(a, 0, n, static_cast<std::size_t>(p[0]));
    }

  private:
    static constexpr std::size_t streams = 8;

    template <class A>
    static typename A::S part(A& a, std::size_t from, std::size_t n, std::size_t block) {
        if (n <= block || n < 2 * streams) return leaf(a, from, n);
        std::size_t half = n / 2;
        half -= half % streams;
        const auto left = part(a, from, half, block);
        return a.add(left, part(a, from + half, n - half, block));
    }

    template <class A>
    static typename A::S leaf(A& a, std::size_t from, std::size_t n) {
        auto sum = a.zero();
        std::size_t i = 0;
        if (n >= streams) {
            std::array<typename A::S, streams> s;
            s.fill(a.zero());
            for (; i + streams <= n; i += streams)
                for (std::size_t k = 0; k < streams; ++k) s[k] = a.mac(s[k], from + i + k);
            sum = a.add(a.add(a.add(s[0], s[1]), a.add(s[2], s[3])),
                        a.add(a.add(s[4], s[5]), a.add(s[6], s[7])));
        }
        for (; i < n; ++i) sum = a.mac(sum, from + i);
        return sum;
    }
};
PIECE(Order, pairwise) = make_order<Pairwise>("pairwise", "BLOCK", "128", "numpy; recursive halving");

}  // namespace ulpgate::orders
