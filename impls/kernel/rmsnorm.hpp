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
// store(p, n), rounded_to<T>(), a + b, a * b, fma(a, b, c), halved_sum(). It may have: stream(p) and end_streams(), stores that
// leave the caches alone, used where x and y are larger than they; split(p, even, odd), merge(even, odd), bf16_of_bf16s() and
// join(even, odd, p), two vectors of bf16 at a time: the same elements meet in the same order. VECTOR_TARGET is the target
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

template <class V>
concept Splits = requires(V v, const Bf16* p) { V::split(p, v, v); };
template <class V>
concept Streams = requires { V::end_streams(); };

template <class T>
constexpr bool is_bf16 = false;
template <>
inline constexpr bool is_bf16<Bf16> = true;
template <class N>
constexpr bool splits = Splits<typename N::V> && is_bf16<typename N::X> && is_bf16<typename N::W> && is_bf16<typename N::Y>;

// Two vectors of input: in memory's order, or as even and odd elements.
template <class N>
VECTOR_INLINE void input_pair(const Row<N>& row, std::int64_t j, typename N::V& a, typename N::V& b) {
    using V = typename N::V;
    if constexpr (splits<N>) {
        V::split(row.x + j, a, b);
        if constexpr (N::has_residual) {
            V ra, rb;
            V::split(row.residual + j, ra, rb);
            a = a + ra;
            b = b + rb;
        }
        if constexpr (N::residual == Residual::rounded) {
            a = a.bf16_of_bf16s();
            b = b.bf16_of_bf16s();
        }
    } else {
        a = input<N, true>(row, j, V::lanes);
        b = input<N, true>(row, j + V::lanes, V::lanes);
    }
}

template <class N>
inline constexpr std::int64_t step_of = 4 * N::V::lanes;  // elements that the four accumulators take at a time

// Takes in the step at j.
template <class N>
VECTOR_INLINE void add_squares(const Row<N>& row, std::int64_t j, typename N::V (&sum)[4]) {
    using V = typename N::V;
    for (int k = 0; k < 4; k += 2) {
        V a, b;
        input_pair(row, j + k * V::lanes, a, b);
        sum[k] = fma(a, a, sum[k]);
        sum[k + 1] = fma(b, b, sum[k + 1]);
    }
}

// Takes in what the steps left, from j on, and adds up.
template <class N>
VECTOR_INLINE float finish_squares(const Row<N>& row, std::int64_t j, typename N::V (&sum)[4]) {
    using V = typename N::V;
    constexpr std::int64_t lanes = V::lanes;
    if constexpr (splits<N>)
        for (int k = 0; k < 4; k += 2) V::merge(sum[k], sum[k + 1]);
    for (int k = 0; k < 4; ++k, j += lanes) {
        if (j >= row.d) break;
        const V z = row.d - j < lanes ? input<N, false>(row, j, row.d - j) : input<N, true>(row, j, lanes);
        sum[k] = fma(z, z, sum[k]);
    }
    return (((sum[0] + sum[1]) + sum[2]) + sum[3]).halved_sum();
}

template <bool streaming, class V, class T>
VECTOR_INLINE void store_whole(V v, T* p) {
    if constexpr (streaming) v.stream(p);
    else v.store(p);
}

// Two vectors of output, all types bf16.
template <class N, bool streaming>
VECTOR_INLINE void write_pair(const Row<N>& row, typename N::V r, std::int64_t j) {
    using V = typename N::V;
    V a, b, wa, wb;
    input_pair(row, j, a, b);
    V::split(row.w + j, wa, wb);
    if constexpr (N::has_residual) V::template join<false>(a, b, row.residual_out + j);
    a = a * r;
    b = b * r;
    if constexpr (N::map == Map::cast_first) {
        a = a.bf16_of_bf16s();
        b = b.bf16_of_bf16s();
    }
    V::template join<streaming>(a * wa, b * wb, row.y + j);
}

template <class N, bool whole, bool streaming = false>
VECTOR_INLINE void write(const Row<N>& row, typename N::V r, std::int64_t j, std::int64_t n) {
    using V = typename N::V;
    const V z = input<N, whole>(row, j, n), w = load<V, whole>(row.w + j, n);
    if constexpr (N::has_residual) store<whole>(z, row.residual_out + j, n);
    V y = z * r;
    if constexpr (N::map == Map::cast_first) y = y.template rounded_to<typename N::X>();
    if constexpr (whole) store_whole<streaming>(y * w, row.y + j);
    else store<false>(y * w, row.y + j, n);
}

// r of the row whose whole steps the sums have taken in.
template <class N>
VECTOR_INLINE typename N::V factor(const Row<N>& row, typename N::V (&sum)[4]) {
    const float s = finish_squares(row, row.d / step_of<N> * step_of<N>, sum);
    return N::V::broadcast(1.0f / __builtin_sqrtf(s / static_cast<float>(row.d) + row.eps));
}

template <class N, bool streaming>
VECTOR_INLINE void write_step(const Row<N>& row, typename N::V r, std::int64_t j) {
    using V = typename N::V;
    if constexpr (splits<N>)
        for (int k = 0; k < 4; k += 2) write_pair<N, streaming>(row, r, j + k * V::lanes);
    else
        for (int k = 0; k < 4; ++k) write<N, true, streaming>(row, r, j + k * V::lanes, V::lanes);
}

// What the steps left of the row.
template <class N, bool streaming>
VECTOR_INLINE void write_rest(const Row<N>& row, typename N::V r, std::int64_t j) {
    using V = typename N::V;
    if constexpr (splits<N>)
        for (; j + 2 * V::lanes <= row.d; j += 2 * V::lanes) write_pair<N, streaming>(row, r, j);
    for (; j + V::lanes <= row.d; j += V::lanes) write<N, true, streaming>(row, r, j, V::lanes);
    if (j < row.d) write<N, false>(row, r, j, row.d - j);
}

// One row by itself.
template <class N>
VECTOR_INLINE typename N::V first_factor(const Row<N>& row) {
    using V = typename N::V;
    V sum[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
    for (std::int64_t j = 0; j + step_of<N> <= row.d; j += step_of<N>) add_squares(row, j, sum);
    return factor(row, sum);
}
template <class N, bool streaming>
VECTOR_INLINE void write_row(const Row<N>& row, typename N::V r) {
    std::int64_t j = 0;
    for (; j + step_of<N> <= row.d; j += step_of<N>) write_step<N, streaming>(row, r, j);
    write_rest<N, streaming>(row, r, j);
}
template <class N, bool streaming>
VECTOR_INLINE void normalise(const Row<N>& row) {
    write_row<N, streaming>(row, first_factor(row));
}

// Whether y is better written past the caches: x and y fill them, and every vector of y is aligned.
template <class N>
inline bool streams(const ulpgate_rmsnorm& a) {
    constexpr std::uint64_t in_cache = 32 << 20;
    constexpr auto size = static_cast<std::int64_t>(sizeof(typename N::Y)), vector = 2 * N::V::lanes * size;
    const auto bytes = static_cast<std::uint64_t>(a.rows * a.d) * (sizeof(typename N::X) + sizeof(typename N::Y));
    return bytes > in_cache && reinterpret_cast<std::uintptr_t>(a.y.data) % vector == 0 && a.y.stride[0] * size % vector == 0;
}

template <class N>
inline Row<N> row_at(const ulpgate_rmsnorm& a, std::int64_t i) {
    Row<N> row{};
    row.x = static_cast<const typename N::X*>(a.x.data) + i * a.x.stride[0];
    row.w = static_cast<const typename N::W*>(a.w.data);
    row.y = static_cast<typename N::Y*>(a.y.data) + i * a.y.stride[0];
    if constexpr (N::has_residual) {
        row.residual = static_cast<const typename N::X*>(a.residual.data) + i * a.residual.stride[0];
        row.residual_out = static_cast<typename N::X*>(a.residual_out.data) + i * a.residual_out.stride[0];
    }
    row.d = a.d;
    row.eps = static_cast<float>(a.eps);
    return row;
}

// While a row is written the next one's squares are added: its reads lie beside the writes, its FMAs beside their integers.
template <class N, bool streaming>
VECTOR_TARGET void rows(const void* arguments, std::int64_t begin, std::int64_t end) {
    using V = typename N::V;
    constexpr std::int64_t step = step_of<N>;
    const auto& a = *static_cast<const ulpgate_rmsnorm*>(arguments);
    Row<N> row = row_at<N>(a, begin);
    V r = first_factor(row);
    for (std::int64_t i = begin; i + 1 < end; ++i) {
        const Row<N> next = row_at<N>(a, i + 1);
        V ahead[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
        std::int64_t j = 0;
        for (; j + step <= a.d; j += step) {
            add_squares(next, j, ahead);
            write_step<N, streaming>(row, r, j);
        }
        write_rest<N, streaming>(row, r, j);
        r = factor(next, ahead);
        row = next;
    }
    write_row<N, streaming>(row, r);
    if constexpr (streaming) V::end_streams();
}

// The ABI's function for one contract.
template <class N>
int rmsnorm(const ulpgate_rmsnorm* a) {
    if (const int status = check<N>(*a); status != ULPGATE_OK) return status;
    if (!a->rows) return ULPGATE_OK;
    auto function = rows<N, false>;
    if constexpr (Streams<typename N::V>)
        if (streams<N>(*a)) function = rows<N, true>;
    over_rows(function, a, a->rows, thread_count(a->call.threads, a->rows, a->d));
    return ULPGATE_OK;
}

}  // namespace kernel
