// y = x w^T over any vector type V of f32 lanes (impls/kernel/rmsnorm.hpp says what V has; tile_tokens, how many
// tokens fit its registers beside 4 rows), for one token or many.
//
// Element k of every output is added by FMA to lane k mod lanes, in order of k; then the lanes by halving. That order is the
// same for one token and for many, for each thread count, address and stride: a token's bits depend on its own row alone.
// A scale multiplies the weight in f32, before the product.
//
// Tokens are widened to f32 once. Few tokens meet the weights where they lie, as fast as they are read; more of them
// meet blocks of weights that are widened (and scaled) into the caches first.
#pragma once
#include <cstdint>

#include "impls/kernel/rmsnorm.hpp"

namespace kernel {

inline constexpr std::int64_t k_block = 512, row_block = 32, token_block = 96, pack_from = 4;

constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

// Tokens as f32: [ceil(columns / k_block)][tokens][k_block], zeros after the last column.
struct Panel {
    F32* data;
    std::int64_t tokens, columns;
    static std::int64_t size(std::int64_t tokens, std::int64_t columns) { return ceil_div(columns, k_block) * tokens * k_block; }
    F32* at(std::int64_t k, std::int64_t token) const { return data + (k / k_block * tokens + token) * k_block + k % k_block; }
};

template <class V, class X>
VECTOR_TARGET void widen(const Panel& p, std::int64_t token, const X* x) {
    std::int64_t k = 0;
    for (; k + V::lanes <= p.columns; k += V::lanes) V::load(x + k).store(p.at(k, token));
    for (; k % k_block || k < p.columns; k += V::lanes) {
        const std::int64_t n = p.columns - k;
        (n > 0 ? V::load(x + k, static_cast<int>(n)) : V::zero()).store(p.at(k, token));
    }
}

template <class W>
struct Weights {  // [rows, columns]; strides in elements
    const W* data;
    std::int64_t rows, columns, stride;
    const float* scale;  // NULL: none
    std::int64_t scale_row, scale_column, block_rows, block_columns;
    float scale_at(std::int64_t row, std::int64_t k) const { return scale[row / block_rows * scale_row + k / block_columns * scale_column]; }
    // The end of the stretch of columns from k on that one scale covers, within a block.
    std::int64_t stretch_end(std::int64_t k) const {
        std::int64_t end = (k / k_block + 1) * k_block;
        if (scale && (k / block_columns + 1) * block_columns < end) end = (k / block_columns + 1) * block_columns;
        return end < columns ? end : columns;
    }
};

// sums[token][row] += x[token] * w[row] over n columns. x: at k_block apart, zeros behind the last column; sums: a vector
// each, tokens at row_block vectors apart.
template <class V, class W, int tokens, int rows, bool scaled>
VECTOR_TARGET void tile(const F32* x, const W* w, std::int64_t stride, const float* scale, std::int64_t n, F32* sums) {
    V s[tokens][rows], by[rows];
    for (int t = 0; t < tokens; ++t)
        for (int r = 0; r < rows; ++r) s[t][r] = V::load(sums + (t * row_block + r) * V::lanes);
    if constexpr (scaled)
        for (int r = 0; r < rows; ++r) by[r] = V::broadcast(scale[r]);
    std::int64_t k = 0;
    for (; k + V::lanes <= n; k += V::lanes) {
        V a[tokens];
        for (int t = 0; t < tokens; ++t) a[t] = V::load(x + t * k_block + k);
        for (int r = 0; r < rows; ++r) {
            V b = V::load(w + r * stride + k);
            if constexpr (scaled) b = b * by[r];
            for (int t = 0; t < tokens; ++t) s[t][r] = fma(a[t], b, s[t][r]);
        }
    }
    if (k < n)
        for (int r = 0; r < rows; ++r) {
            V b = V::load(w + r * stride + k, static_cast<int>(n - k));
            if constexpr (scaled) b = b * by[r];
            for (int t = 0; t < tokens; ++t) s[t][r] = fma(V::load(x + t * k_block + k), b, s[t][r]);
        }
    for (int t = 0; t < tokens; ++t)
        for (int r = 0; r < rows; ++r) s[t][r].store(sums + (t * row_block + r) * V::lanes);
}

// All tokens with `rows` rows. Register tiles: V::tile_tokens x 4 sums.
template <class V, class W, int rows, bool scaled>
VECTOR_TARGET void tiles(const F32* x, std::int64_t tokens, const W* w, std::int64_t stride, const float* scale, std::int64_t n, F32* sums) {
    constexpr int most = V::tile_tokens;
    const auto of = [&](std::int64_t t) { return sums + t * row_block * V::lanes; };
    std::int64_t t = 0;
    if constexpr (rows <= 4) {
        for (; t + most <= tokens; t += most) tile<V, W, most, rows, scaled>(x + t * k_block, w, stride, scale, n, of(t));
        if constexpr (most > 3)
            if (t + 3 <= tokens) tile<V, W, 3, rows, scaled>(x + t * k_block, w, stride, scale, n, of(t)), t += 3;
        if constexpr (most > 1)
            if (t + 2 <= tokens) tile<V, W, 2, rows, scaled>(x + t * k_block, w, stride, scale, n, of(t)), t += 2;
    }
    for (; t < tokens; ++t) tile<V, W, 1, rows, scaled>(x + t * k_block, w, stride, scale, n, of(t));
}

// Rows where they lie.
template <class V, class W, bool scaled>
VECTOR_TARGET void direct(const Panel& x, const Weights<W>& w, std::int64_t row, std::int64_t count, std::int64_t k, std::int64_t end, F32* sums) {
    float scale[row_block] = {};
    if constexpr (scaled)
        for (std::int64_t r = 0; r < count; ++r) scale[r] = w.scale_at(row + r, k);
    const W* const first = w.data + row * w.stride + k;
    std::int64_t r = 0;
    for (; r + 8 <= count && x.tokens == 1; r += 8)
        tiles<V, W, 8, scaled>(x.at(k, 0), x.tokens, first + r * w.stride, w.stride, scale + r, end - k, sums + r * V::lanes);
    for (; r + 4 <= count; r += 4)
        tiles<V, W, 4, scaled>(x.at(k, 0), x.tokens, first + r * w.stride, w.stride, scale + r, end - k, sums + r * V::lanes);
    for (; r < count; ++r)
        tiles<V, W, 1, scaled>(x.at(k, 0), x.tokens, first + r * w.stride, w.stride, scale + r, end - k, sums + r * V::lanes);
}

// Columns k to end of rows to packed[row][k % k_block], zeros up to a whole vector.
template <class V, class W, bool scaled>
VECTOR_TARGET void pack(const Weights<W>& w, std::int64_t row, std::int64_t count, std::int64_t k, std::int64_t end, F32* packed) {
    for (std::int64_t r = 0; r < count; ++r) {
        const W* const from = w.data + (row + r) * w.stride + k;
        F32* const to = packed + r * k_block + k % k_block;
        V by = V::zero();
        if constexpr (scaled) by = V::broadcast(w.scale_at(row + r, k));
        for (std::int64_t i = 0; i < end - k; i += V::lanes) {
            V v = end - k - i >= V::lanes ? V::load(from + i) : V::load(from + i, static_cast<int>(end - k - i));
            if constexpr (scaled) v = v * by;
            v.store(to + i);
        }
    }
}

inline std::int64_t scratch_size(std::int64_t tokens, std::int64_t lanes) { return row_block * (k_block + tokens * lanes); }

// Rows begin to end; sink(token, row, n, y): y[0..n) are the sums of rows row to row + n.
template <class V, class W, bool scaled, class Sink>
VECTOR_TARGET void gemm_rows(const Panel& x, const Weights<W>& w, std::int64_t begin, std::int64_t end, F32* scratch, const Sink& sink) {
    F32 *const packed = scratch, *const sums = scratch + row_block * k_block;
    for (std::int64_t row = begin; row < end; row += row_block) {
        const std::int64_t count = end - row < row_block ? end - row : row_block;
        for (std::int64_t i = 0; i < x.tokens * row_block; ++i) V::zero().store(sums + i * V::lanes);
        for (std::int64_t k = 0; k < w.columns; k += k_block) {
            const std::int64_t last = k + k_block < w.columns ? k + k_block : w.columns;
            for (std::int64_t from = k; from < last; from = w.stretch_end(from)) {
                if (x.tokens < pack_from) direct<V, W, scaled>(x, w, row, count, from, w.stretch_end(from), sums);
                else pack<V, W, scaled>(w, row, count, from, w.stretch_end(from), packed);
            }
            if (x.tokens < pack_from) continue;
            const std::int64_t n = ceil_div(last - k, V::lanes) * V::lanes;
            std::int64_t r = 0;
            for (; r + 4 <= count; r += 4) tiles<V, F32, 4, false>(x.at(k, 0), x.tokens, packed + r * k_block, k_block, nullptr, n, sums + r * V::lanes);
            for (; r < count; ++r) tiles<V, F32, 1, false>(x.at(k, 0), x.tokens, packed + r * k_block, k_block, nullptr, n, sums + r * V::lanes);
        }
        F32 y[row_block];
        for (std::int64_t t = 0; t < x.tokens; ++t) {
            for (std::int64_t r = 0; r < count; ++r) y[r].value = V::load(sums + (t * row_block + r) * V::lanes).halved_sum();
            sink(t, row, count, y);
        }
    }
}

// granted: as in ulpgate_call. A thread takes whole blocks of rows.
inline std::int64_t gemm_threads(std::uint32_t granted, std::int64_t rows, std::int64_t columns, std::int64_t tokens) {
    const std::int64_t blocks = ceil_div(rows, row_block);
    return thread_count(granted, blocks, row_block * columns * (tokens < 8 ? tokens : 8) / 16);
}

template <class V, class W, class Sink>
struct Gemm {
    Panel x;
    Weights<W> w;
    const Sink& sink;
    F32* scratch;  // scratch_size() for each thread
    std::int64_t threads;

    // over_rows hands each thread the number of its part.
    void run() const {
        over_rows(
            [](const void* p, std::int64_t begin, std::int64_t end) {
                for (std::int64_t part = begin; part < end; ++part) static_cast<const Gemm*>(p)->part(part);
            },
            this, threads, threads);
    }
    void part(std::int64_t k) const {
        const std::int64_t blocks = ceil_div(w.rows, row_block);
        const auto edge = [&](std::int64_t i) { return i * blocks / threads * row_block; };
        const std::int64_t begin = edge(k), end = edge(k + 1) < w.rows ? edge(k + 1) : w.rows;
        F32* const own = scratch + k * scratch_size(x.tokens, V::lanes);
        if (w.scale) gemm_rows<V, W, true>(x, w, begin, end, own, sink);
        else gemm_rows<V, W, false>(x, w, begin, end, own, sink);
    }
};

}  // namespace kernel
