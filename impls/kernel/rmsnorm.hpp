// RMSNorm over any vector type V of f32 lanes: written once, instantiated for each instruction set.
//
//   z   x, or x + residual in f32, rounded to x's type where the contract says so
//   S   the sum of z*z by FMA: element j goes to partial j mod (4 * lanes), in order of j; the four
//       accumulators are added one after another, then the lanes by halving. d alone fixes this tree:
//       neither rows, addresses, strides nor threads change a bit.
//   r   1 / sqrtf(S / d + eps): three correctly rounded operations, within 1.5 ulp of the exact root
//   y   cast_first: Y(w * X(z * r));   f32_gain: Y((z * r) * w)
//
// Elementwise in place: both passes read an element before they write it, so y may be x and residual_out may
// be residual. Nothing before, between or after the rows is read or written.
//
// V has: lanes; zero(), broadcast(f), load(p), load(p, n) (n < lanes elements, zero above), store(p),
// store(p, n), rounded_to<T>(), a + b, a * b, fma(a, b, c), halved_sum(). VECTOR_TARGET is the target
// attribute of its functions; it comes with V's header, before this one.
#pragma once
#include <cstdint>

#include "impls/kernel/arguments.hpp"
#include "impls/kernel/element.hpp"
#include "impls/kernel/rows.hpp"
#include "impls/ulpgate_kernel.h"

#define VECTOR_INLINE VECTOR_TARGET __attribute__((always_inline)) inline

namespace kernel {

enum class Map { cast_first, f32_gain };
enum class Residual { none, rounded, unrounded };

template <class Vector, class XType, class WType, class YType, Map map_, Residual residual_>
struct Norm {
    using V = Vector;
    using X = XType;
    using W = WType;
    using Y = YType;
    static constexpr Map map = map_;
    static constexpr Residual residual = residual_;
    static constexpr bool has_residual = residual != Residual::none;
};

template <class N>
struct Row {
    const typename N::X *x, *residual;
    const typename N::W* w;
    typename N::X* residual_out;
    typename N::Y* y;
    std::int64_t d;
    float eps;
};

// n elements at p; whole: n == V::lanes.
template <class V, bool whole, class T>
VECTOR_INLINE V load(const T* p, std::int64_t n) {
    if constexpr (whole) return V::load(p);
    else return V::load(p, static_cast<int>(n));
}
template <bool whole, class V, class T>
VECTOR_INLINE void store(V v, T* p, std::int64_t n) {
    if constexpr (whole) v.store(p);
    else v.store(p, static_cast<int>(n));
}

template <class N, bool whole>
VECTOR_INLINE typename N::V input(const Row<N>& row, std::int64_t j, std::int64_t n) {
    using V = typename N::V;
    V z = load<V, whole>(row.x + j, n);
    if constexpr (N::has_residual) z = z + load<V, whole>(row.residual + j, n);
    if constexpr (N::residual == Residual::rounded) z = z.template rounded_to<typename N::X>();
    return z;
}

template <class N>
VECTOR_INLINE float sum_of_squares(const Row<N>& row) {
    using V = typename N::V;
    constexpr std::int64_t lanes = V::lanes;
    V sum[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
    std::int64_t j = 0;
    for (; j + 4 * lanes <= row.d; j += 4 * lanes)
        for (int k = 0; k < 4; ++k) {
            const V z = input<N, true>(row, j + k * lanes, lanes);
            sum[k] = fma(z, z, sum[k]);
        }
    for (int k = 0; k < 4; ++k, j += lanes) {
        if (j >= row.d) break;
        const V z = row.d - j < lanes ? input<N, false>(row, j, row.d - j) : input<N, true>(row, j, lanes);
        sum[k] = fma(z, z, sum[k]);
    }
    return (((sum[0] + sum[1]) + sum[2]) + sum[3]).halved_sum();
}

template <class N, bool whole>
VECTOR_INLINE void write(const Row<N>& row, typename N::V r, std::int64_t j, std::int64_t n) {
    using V = typename N::V;
    const V z = input<N, whole>(row, j, n), w = load<V, whole>(row.w + j, n);
    if constexpr (N::has_residual) store<whole>(z, row.residual_out + j, n);
    V y = z * r;
    if constexpr (N::map == Map::cast_first) y = y.template rounded_to<typename N::X>();
    store<whole>(y * w, row.y + j, n);
}

template <class N>
VECTOR_INLINE void normalise(const Row<N>& row) {
    using V = typename N::V;
    const float rms = __builtin_sqrtf(sum_of_squares(row) / static_cast<float>(row.d) + row.eps);
    const V r = V::broadcast(1.0f / rms);
    std::int64_t j = 0;
    for (; j + V::lanes <= row.d; j += V::lanes) write<N, true>(row, r, j, V::lanes);
    if (j < row.d) write<N, false>(row, r, j, row.d - j);
}

template <class N>
VECTOR_TARGET void rows(const void* arguments, std::int64_t begin, std::int64_t end) {
    const auto& a = *static_cast<const ulpgate_rmsnorm*>(arguments);
    for (std::int64_t i = begin; i < end; ++i) {
        Row<N> row{};
        row.x = static_cast<const typename N::X*>(a.x.data) + i * a.x.stride[0];
        row.w = static_cast<const typename N::W*>(a.w.data);
        row.y = static_cast<typename N::Y*>(a.y.data) + i * a.y.stride[0];
        if constexpr (N::has_residual) {
            row.residual = static_cast<const typename N::X*>(a.residual.data) + i * a.residual.stride[0];
            row.residual_out =
                static_cast<typename N::X*>(a.residual_out.data) + i * a.residual_out.stride[0];
        }
        row.d = a.d;
        row.eps = static_cast<float>(a.eps);
        normalise(row);
    }
}

// The ABI's function for one contract.
template <class N>
int rmsnorm(const ulpgate_rmsnorm* a) {
    if (const int status = check<N>(*a); status != ULPGATE_OK) return status;
    if (a->rows) over_rows(rows<N>, a, a->rows, thread_count(a->call.threads, a->rows, a->d));
    return ULPGATE_OK;
}

}  // namespace kernel
