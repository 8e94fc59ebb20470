#include "reference/orders/order.hpp"

namespace ulpgate::orders {

struct Sequential {
    template <class A>
    typename A::S operator()(A a, std::size_t n, OrderParams) const {
        auto s = a.zero();
        for (std::size_t i = 0; i < n; ++i) s = a.mac(s, i);
        return s;
    }
};
PIECE(Order, sequential) = make_order<Sequential>("sequential", "", "", "scalar loops; onnxruntime");

}  // namespace ulpgate::orders
