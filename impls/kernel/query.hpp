// The query path of MLA and a plain projection (the head) over any vector type V: written once, instantiated for each
// instruction set.
//
//   q_a = X(h a^T [+ bias]);  n = X(gain * X(q_a * r)), r = 1 / rms(q_a) with latent_eps;  q = X(n q_b^T)
// q_rank 0: q = X(h q_b^T). q [batch, tokens, heads, nope + rope] is written transposed, as q_nope and q_pe [batch, heads, tokens, ...].
// Sums as impls/kernel/gemm.hpp says, the norm as impls/kernel/rmsnorm.hpp; the norm reads q_a where the projection left it, at
// any row stride. Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 662-688, 767-774, 1522, 1614-1616.
//
// Tokens go through 96 at a time, so that a call of any length needs the same workspace. No tokens: nothing is done.
// ULPGATE_REFUSED: strided columns, scale blocks that no vector fits. ULPGATE_BAD_ARGUMENT: shapes that do not multiply, tables
// of the wrong size, negative sizes. A NaN or an infinity among the weights or in a token goes where IEEE arithmetic takes it.
#pragma once
#include <cstring>

#include "impls/kernel/gemm.hpp"

namespace kernel {

template <class Vector, class XType, class WType, Map map_, bool bias_after_ = false>
struct Query {
    using V = Vector;
    using X = XType;
    using W = WType;
    static constexpr Map map = map_;
    static constexpr bool bias_after = bias_after_;
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
    std::int64_t first;  // token

    VECTOR_TARGET void operator()(std::int64_t token, std::int64_t row, std::int64_t n, const F32* y) const {
        using X = typename Q::X;
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
    std::int64_t a_threads, b_threads, panel, latents, normed, scratch;
    explicit QueryRoom(const ulpgate_mla_query& a) {
        const std::int64_t n = block_of(a.batch * a.tokens), out = a.heads * (a.nope + a.rope), wide = a.q_rank > a.hidden ? a.q_rank : a.hidden;
        a_threads = gemm_threads(a.call.threads, a.a.w.size[0], a.hidden, n);
        b_threads = gemm_threads(a.call.threads, out, a.q_rank ? a.q_rank : a.hidden, n);
        panel = 0;
        latents = panel + Panel::size(n, wide);
        normed = latents + n * a.q_rank;
        scratch = normed + n * a.q_rank;
    }
    std::int64_t floats(std::int64_t tokens) const { return scratch + (a_threads > b_threads ? a_threads : b_threads) * scratch_size(block_of(tokens), V::lanes); }
};

template <class Q>
std::size_t query_workspace(const void* arguments) {
    const auto& a = *static_cast<const ulpgate_mla_query*>(arguments);
    return static_cast<std::size_t>(QueryRoom<typename Q::V>(a).floats(a.batch * a.tokens)) * sizeof(float);
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

template <class Q>
int check(const ulpgate_mla_query& a) {
    using X = typename Q::X;
    if (a.batch < 0 || a.tokens < 0 || a.hidden < 1 || a.q_rank < 0 || a.heads < 1 || a.nope < 0 || a.rope < 0) return ULPGATE_BAD_ARGUMENT;
    if (a.k_c.data || a.kv_gain.data || a.positions.data || a.q_absorbed.data || a.k_input.data) return ULPGATE_REFUSED;
    if (a.batch * a.tokens == 0) return ULPGATE_OK;
    if (!is(a.h, X::type) || (a.q_rank && !is(a.q_gain, X::type))) return ULPGATE_BAD_ARGUMENT;
    const ulpgate_tensor* const all[] = {&a.h, &a.q_gain, &a.a.bias, &a.q_nope, &a.q_pe, &a.q, &a.tap_a, &a.tap_norm, &a.tap_q_b};
    for (const ulpgate_tensor* t : all)
        if (const int status = check_optional<X>(*t); status != ULPGATE_OK) return status;
    if (a.q_rank)
        if (const int status = check_weight<typename Q::V, typename Q::W>(a.a, a.q_rank, a.hidden); status != ULPGATE_OK) return status;
    return check_weight<typename Q::V, typename Q::W>(a.q_b, a.heads * (a.nope + a.rope), a.q_rank ? a.q_rank : a.hidden);
}

// The norm of a block of latents, out of place.
template <class Q>
VECTOR_TARGET void norm_latents(const ulpgate_mla_query& a, const typename Q::X* latents, std::int64_t stride, typename Q::X* normed, std::int64_t tokens) {
    using X = typename Q::X;
    for (std::int64_t i = 0; i < tokens; ++i) {
        Row<Norm<typename Q::V, X, X, X, Q::map, Residual::none>> row{};
        row.x = latents + i * stride;
        row.w = static_cast<const X*>(a.q_gain.data);
        row.y = normed + i * a.q_rank;
        row.d = a.q_rank;
        row.eps = static_cast<float>(a.latent_eps);
        normalise<Norm<typename Q::V, X, X, X, Q::map, Residual::none>, false>(row);
    }
}

template <class X>
const X* token_row(const ulpgate_mla_query& a, const ulpgate_tensor& t, std::int64_t token) {
    return static_cast<const X*>(t.data) + token / a.tokens * t.stride[0] + token % a.tokens * t.stride[1];
}
template <class X>
void copy_tap(const ulpgate_mla_query& a, const ulpgate_tensor& tap, const X* rows, std::int64_t stride, std::int64_t width, std::int64_t first, std::int64_t tokens) {
    if (!tap.data) return;
    for (std::int64_t i = 0; i < tokens; ++i)
        std::memcpy(const_cast<X*>(token_row<X>(a, tap, first + i)), rows + i * stride, static_cast<std::size_t>(width) * sizeof(X));
}

// Tokens first to first + tokens.
template <class Q>
void query_block(const ulpgate_mla_query& a, const QueryRoom<typename Q::V>& room, std::int64_t first, std::int64_t tokens) {
    using V = typename Q::V;
    using X = typename Q::X;
    auto* const floats = static_cast<F32*>(a.call.workspace);
    F32* const scratch = floats + room.scratch;
    const QuerySink<Q> sink{a, first};
    Panel x{floats + room.panel, tokens, a.hidden};
    for (std::int64_t i = 0; i < tokens; ++i) widen<V>(x, i, token_row<X>(a, a.h, first + i));
    if (a.q_rank) {
        auto *const latents = reinterpret_cast<X*>(floats + room.latents), *const normed = reinterpret_cast<X*>(floats + room.normed);
        const LatentSink<Q> latent{latents, a.q_rank, static_cast<const X*>(a.a.bias.data)};
        Gemm<V, typename Q::W, LatentSink<Q>>{x, weights<typename Q::W>(a.a), latent, scratch, room.a_threads}.run();
        norm_latents<Q>(a, latents, a.q_rank, normed, tokens);
        copy_tap(a, a.tap_a, latents, a.q_rank, a.q_rank, first, tokens);
        copy_tap(a, a.tap_norm, normed, a.q_rank, a.q_rank, first, tokens);
        x.columns = a.q_rank;
        for (std::int64_t i = 0; i < tokens; ++i) widen<V>(x, i, normed + i * a.q_rank);
    }
    Gemm<V, typename Q::W, QuerySink<Q>>{x, weights<typename Q::W>(a.q_b), sink, scratch, room.b_threads}.run();
}

template <class Q>
int mla_query(const ulpgate_mla_query* a) {
    if (const int status = check<Q>(*a); status != ULPGATE_OK) return status;
    const QueryRoom<typename Q::V> room(*a);
    const std::int64_t all = a->batch * a->tokens;
    if (a->call.workspace_bytes < query_workspace<Q>(a)) return ULPGATE_FAILED;
    for (std::int64_t first = 0; first < all; first += token_block) query_block<Q>(*a, room, first, block_of(all - first));
    return ULPGATE_OK;
}

}  // namespace kernel
