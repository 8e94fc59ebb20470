// What the steps of the query path share: where sums go, how a call divides its workspace, what a weight may be.
#pragma once

#include "impls/kernel/gemm.hpp"

namespace kernel {

// bias_after: the bias meets the rounded sum. three: a rotation rounds its products and its sum to X; else the sum alone.
template <class Vector, class XType, class WType, Map map_, bool bias_after_ = false, bool three_ = false>
struct Query {
    using V = Vector;
    using X = XType;
    using W = WType;
    static constexpr Map map = map_;
    static constexpr bool bias_after = bias_after_;
    static constexpr bool three = three_;
};

// n floats narrowed to where they go.
template <class V, class X>
VECTOR_TARGET void store_row(const F32* from, X* to, std::int64_t n) {
    std::int64_t k = 0;
    for (; k + V::lanes <= n; k += V::lanes) V::load(from + k).store(to + k);
    if (k < n) V::load(from + k, static_cast<int>(n - k)).store(to + k, static_cast<int>(n - k));
}

template <class Q>
struct LatentSink {
    using V = typename Q::V;
    using X = typename Q::X;
    X* out;  // a row a token
    std::int64_t stride;
    const X* bias;  // or NULL

    VECTOR_TARGET void operator()(std::int64_t token, std::int64_t row, std::int64_t n, const F32* y) const {
        X* const to = out + token * stride + row;
        if (!bias) return store_row<V>(y, to, n);
        for (std::int64_t k = 0; k < n; k += V::lanes) {
            const std::int64_t left = n - k;
            const int m = static_cast<int>(left);
            const bool whole = left >= V::lanes;
            V v = whole ? V::load(y + k) : V::load(y + k, m);
            if constexpr (Q::bias_after) v = v.template rounded_to<X>();
            v = v + (whole ? V::load(bias + row + k) : V::load(bias + row + k, m));
            whole ? v.store(to + k) : v.store(to + k, m);
        }
    }
};

// Row o of q_b is head o / (nope + rope), column o % (nope + rope).
template <class Q>
struct QuerySink {
    const ulpgate_mla_query& a;
    std::int64_t first;    // token
    typename Q::X* rows;  // where all of q is wanted, for absorption: a row a token; or NULL

    VECTOR_TARGET void operator()(std::int64_t token, std::int64_t row, std::int64_t n, const F32* y) const {
        using X = typename Q::X;
        if (rows) store_row<typename Q::V>(y, rows + token * a.heads * (a.nope + a.rope) + row, n);
        const std::int64_t b = (first + token) / a.tokens, t = (first + token) % a.tokens, width = a.nope + a.rope;
        if (a.tap_q_b.data) store_row<typename Q::V>(y, static_cast<X*>(a.tap_q_b.data) + b * a.tap_q_b.stride[0] + t * a.tap_q_b.stride[1] + row, n);
        for (std::int64_t k = 0; k < n;) {
            const std::int64_t head = (row + k) / width, j = (row + k) % width;
            const bool pe = j >= a.nope;
            const std::int64_t room = (pe ? width : a.nope) - j, m = room < n - k ? room : n - k;
            const ulpgate_tensor& part = pe ? a.q_pe : a.q_nope;
            const auto put = [&](const ulpgate_tensor& q, std::int64_t column) {
                if (q.data) store_row<typename Q::V>(y + k, static_cast<X*>(q.data) + b * q.stride[0] + head * q.stride[1] + t * q.stride[2] + column, m);
            };
            put(part, pe ? j - a.nope : j);
            put(a.q, j);
            k += m;
        }
    }
};

inline std::int64_t block_of(std::int64_t tokens) { return tokens < token_block ? tokens : token_block; }

// How a call divides its workspace, in floats.
template <class V>
struct QueryRoom {
    std::int64_t a_threads, b_threads, c_threads, panel, latents, normed, rows, scratch;
    explicit QueryRoom(const ulpgate_mla_query& a) {
        const std::int64_t n = block_of(a.batch * a.tokens), out = a.heads * (a.nope + a.rope), wide = a.q_rank > a.hidden ? a.q_rank : a.hidden;
        a_threads = gemm_threads(a.call.threads, a.a.w.size[0], a.hidden, n);
        b_threads = gemm_threads(a.call.threads, out, a.q_rank ? a.q_rank : a.hidden, n);
        panel = 0;
        latents = panel + Panel::size(n, wide);
        normed = latents + n * (a.q_rank ? a.a.w.size[0] : 0);
        rows = normed + n * a.q_rank;
        scratch = rows + (a.k_c.data ? n * out : 0);
        c_threads = a.k_c.data ? thread_count(a.call.threads, a.heads, a.kv_rank * a.nope * n / 8) : 0;
    }
    // Of one thread over heads.
    static std::int64_t head_size(std::int64_t tokens, std::int64_t nope) { return Panel::size(tokens, nope) + scratch_size(tokens, V::lanes); }
    std::int64_t floats(const ulpgate_mla_query& a) const {
        const std::int64_t n = block_of(a.batch * a.tokens), most = a_threads > b_threads ? a_threads : b_threads;
        const std::int64_t projections = most * scratch_size(n, V::lanes), heads = c_threads * head_size(n, a.nope);
        return scratch + (projections > heads ? projections : heads);
    }
};

template <class Q>
std::size_t query_workspace(const void* arguments) {
    const auto& a = *static_cast<const ulpgate_mla_query*>(arguments);
    return static_cast<std::size_t>(QueryRoom<typename Q::V>(a).floats(a)) * sizeof(float);
}

template <class W>
Weights<W> weights(const ulpgate_weight& w) {
    return {static_cast<const W*>(w.w.data), w.w.size[0], w.w.size[1], w.w.stride[0], static_cast<const float*>(w.scale.data), w.scale.stride[0],
            w.scale.stride[1], w.block[0], w.block[1]};
}

template <class V, class W>
int check_weight(const ulpgate_weight& w, std::int64_t rows, std::int64_t columns) {
    if (!is(w.w, W::type) || w.w.rank != 2 || w.w.size[0] != rows || w.w.size[1] != columns) return ULPGATE_BAD_ARGUMENT;
    if (!contiguous(w.w)) return ULPGATE_REFUSED;
    if (!w.scale.data) return ULPGATE_OK;
    if (!is(w.scale, ULPGATE_F32) || w.block[0] < 1 || w.block[1] < 1 || w.scale.size[0] != ceil_div(rows, w.block[0]) ||
        w.scale.size[1] != ceil_div(columns, w.block[1]))
        return ULPGATE_BAD_ARGUMENT;
    return w.block[1] % V::lanes && w.block[1] < columns ? ULPGATE_REFUSED : ULPGATE_OK;
}

// A tensor that may be absent: of X, its columns side by side.
template <class X>
int check_optional(const ulpgate_tensor& t) {
    if (!t.data) return ULPGATE_OK;
    return !is(t, X::type) ? ULPGATE_BAD_ARGUMENT : contiguous(t) ? ULPGATE_OK : ULPGATE_REFUSED;
}

// Of these sizes, rows of the last two dimensions apart; or absent.
template <class... N>
bool shaped(const ulpgate_tensor& t, N... n) {
    const std::int64_t want[] = {n...};
    constexpr std::uint32_t rank = sizeof...(N);
    if (!t.data) return true;
    if (t.rank != rank) return false;
    for (std::uint32_t k = 0; k < rank; ++k)
        if (t.size[k] != want[k]) return false;
    return rank < 2 || t.size[rank - 2] <= 1 || t.stride[rank - 2] >= t.size[rank - 1];
}

template <class X>
X* token_row(const ulpgate_mla_query& a, const ulpgate_tensor& t, std::int64_t token) {
    return static_cast<X*>(t.data) + token / a.tokens * t.stride[0] + token % a.tokens * t.stride[1];
}

}  // namespace kernel
