// What an order runs on: the type of a partial sum, how a column is folded in, how two partial sums are
// joined.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ulpgate {

template <class V>
struct Squares {
    using S = V;
    const float* x;
    S zero() const { return 0; }
    S mac(S s, std::size_t i) const {
        const V v = static_cast<V>(x[i]);
        return s + v * v;
    }
    S add(S a, S b) const { return a + b; }
};
struct SquaresFma {
    using S = float;
    const float* x;
    S zero() const { return 0; }
    S mac(S s, std::size_t i) const { return std::fma(x[i], x[i], s); }
    S add(S a, S b) const { return a + b; }
};
template <class V>
struct TermsIn {  // values that are summed in V as they are: an order over something else than squares
    using S = V;
    const float* v;
    S zero() const { return 0; }
    S mac(S s, std::size_t i) const { return s + static_cast<V>(v[i]); }
    S add(S a, S b) const { return a + b; }
};
using Terms = TermsIn<float>;
using TermsF64 = TermsIn<double>;
struct Dot {
    using S = float;
    const float *x, *y;
    S zero() const { return 0; }
    S mac(S s, std::size_t i) const { return s + x[i] * y[i]; }
    S add(S a, S b) const { return a + b; }
};
struct Height {  // additions on the longest path of a leaf with no zero operand; -1: empty
    using S = int;
    S zero() const { return -1; }
    S mac(S s, std::size_t) const { return s < 0 ? 0 : s + 1; }
    S add(S a, S b) const { return a < 0 ? b : b < 0 ? a : std::max(a, b) + 1; }
};
// Every sum, and by default every square, narrowed: accumulation in T. The sum of two values of a 16-bit T
// narrowed from f32 equals the sum rounded once to T, because 24 >= 2p + 2 (Figueroa 1995).
struct Lowered {
    using S = float;
    const float* x;
    float (*narrow)(float);
    bool squares = true;
    const float* factor = nullptr;  // what x is multiplied by instead of itself
    S zero() const { return 0; }
    S mac(S s, std::size_t i) const {
        const float square = x[i] * (factor ? factor[i] : x[i]);
        return narrow(s + (squares ? narrow(square) : square));
    }
    S add(S a, S b) const { return narrow(a + b); }
};

}  // namespace ulpgate
