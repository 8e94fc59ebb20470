// A summation order is an algorithm over an abstract accumulator: written once, it gives the f32 sum of
// squares, the same with FMA, in f64, a dot product, and its tree's height (for the bound).
//   struct A { using S; S zero(); S mac(S, size_t i); S add(S, S); }   mac: fold leaf i in;  add: join two
//   partials
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/piece.hpp"
#include "reference/orders/accumulators.hpp"
#include "reference/orders/tree.hpp"

namespace ulpgate {

using OrderParams = std::array<int, 3>;

struct Order {
    std::string_view name, params, defaults;  // "lanes", "LANESxACCS", "8x4"
    std::string_view why;                     // who sums like this
    float (*f32)(Squares<float>, std::size_t n, OrderParams);
    float (*fma)(SquaresFma, std::size_t n, OrderParams);
    double (*f64)(Squares<double>, std::size_t n, OrderParams);
    float (*terms)(Terms, std::size_t n, OrderParams);
    double (*terms_f64)(TermsF64, std::size_t n, OrderParams);
    float (*dot)(Dot, std::size_t n, OrderParams);
    float (*low)(Lowered, std::size_t n, OrderParams);
    int (*height)(Height, std::size_t n, OrderParams);
    int (*tree)(Grow, std::size_t n, OrderParams);  // the root in the tree that it grows
};

// O is an empty struct with  template <class A> typename A::S operator()(A, std::size_t n, OrderParams)
// const.
template <class O>
constexpr Order make_order(std::string_view name, std::string_view params, std::string_view defaults,
                           std::string_view why) {
    return {name,
            params,
            defaults,
            why,
            [](Squares<float> a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](SquaresFma a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](Squares<double> a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](Terms a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](TermsF64 a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](Dot a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](Lowered a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](Height a, std::size_t n, OrderParams p) { return O{}(a, n, p); },
            [](Grow a, std::size_t n, OrderParams p) { return O{}(a, n, p); }};
}

// Joins partials by a halving tree: what a vector register or a warp does.
template <class A>
typename A::S halve(A& a, std::vector<typename A::S> v) {
    while (v.size() > 1) {
        const auto h = (v.size() + 1) / 2;
        for (std::size_t i = h; i < v.size(); ++i) v[i - h] = a.add(v[i - h], v[i]);
        v.resize(h);
    }
    return v.empty() ? a.zero() : v[0];
}

namespace orders {
std::span<const Order* const> all();
}

struct OrderChoice {
    const Order* order = nullptr;
    OrderParams p{};
    std::string text() const;  // "lanes:8x4"; defaults left out
};
// "lanes" or "lanes:16x2"; nothing when unknown or malformed.
std::optional<OrderChoice> find_order(std::string_view text);

}  // namespace ulpgate
