// The query path's other ends: k_input from a fused projection, rotation of q_pe and k_pe, absorption.
//
//   k_input   X(kv_gain * X(kv * r)) of the kv slice, read where the projection left it; then k_pe
//   rotation  elements 2k, 2k + 1 by the position's row of cos_sin (rope/2 cosines, rope/2 sines): f32 products and their sum, one
//             cast to X; or products and sum each rounded to X
//   absorbed  X(q_nope k_c^T), head by head, in the order of impls/kernel/gemm.hpp; then q_pe
#pragma once
#include <cstring>

#include "impls/kernel/query_parts.hpp"

namespace kernel {

inline constexpr std::int64_t most_rope = 512;  // more is refused

inline std::int64_t latent_width(const ulpgate_mla_query& a) { return a.q_rank + (a.k_input.data ? a.kv_rank + a.rope : 0); }

template <class Q>
int check_attention(const ulpgate_mla_query& a) {
    using X = typename Q::X;
    if (a.k_input.data && (!a.q_rank || a.kv_rank < 1 || !is(a.kv_gain, X::type))) return ULPGATE_BAD_ARGUMENT;
    if ((a.k_c.data != nullptr) != (a.q_absorbed.data != nullptr)) return ULPGATE_BAD_ARGUMENT;
    if (a.k_c.data && (a.k_c.size[0] != a.heads || a.k_c.size[1] != a.kv_rank || a.k_c.size[2] != a.nope)) return ULPGATE_BAD_ARGUMENT;
    if (!a.positions.data) return a.cos_sin.data ? ULPGATE_REFUSED : ULPGATE_OK;
    if (a.positions.type != ULPGATE_I64 || a.rope % 2 || !a.cos_sin.data || a.cos_sin.size[1] != a.rope) return ULPGATE_BAD_ARGUMENT;
    if (a.cos_sin.type != X::type && a.cos_sin.type != ULPGATE_F32) return ULPGATE_BAD_ARGUMENT;
    return a.rope > most_rope || !contiguous(a.cos_sin) || a.q.data ? ULPGATE_REFUSED : ULPGATE_OK;
}

// One latent, out of place.
template <class Q>
VECTOR_TARGET void norm_latent(const ulpgate_mla_query& a, const typename Q::X* latent, const ulpgate_tensor& gain, typename Q::X* normed, std::int64_t d) {
    using X = typename Q::X;
    using N = Norm<typename Q::V, X, X, X, Q::map, Residual::none>;
    Row<N> row{};
    row.x = latent;
    row.w = static_cast<const X*>(gain.data);
    row.y = normed;
    row.d = d;
    row.eps = static_cast<float>(a.latent_eps);
    normalise<N, false>(row);
}

template <class V, class X>
VECTOR_INLINE void widen_row(const X* from, F32* to, std::int64_t n) {
    std::int64_t k = 0;
    for (; k + V::lanes <= n; k += V::lanes) V::load(from + k).store(to + k);
    if (k < n) V::load(from + k, static_cast<int>(n - k)).store(to + k, static_cast<int>(n - k));
}

// x c + y s, of whole vectors.
template <class Q>
VECTOR_INLINE typename Q::V turned(typename Q::V x, typename Q::V c, typename Q::V y, typename Q::V s) {
    using X = typename Q::X;
    auto p = x * c, q = y * s;
    if constexpr (Q::three) p = p.template rounded_to<X>(), q = q.template rounded_to<X>();
    return p + q;
}

// v in place. table: the position's row.
template <class Q, class Table>
VECTOR_TARGET void rotate(typename Q::X* v, const Table* table, std::int64_t rope) {
    using V = typename Q::V;
    F32 row[most_rope] = {}, even[most_rope / 2 + V::lanes] = {}, odd[most_rope / 2 + V::lanes] = {}, c[most_rope / 2 + V::lanes] = {}, s[most_rope / 2 + V::lanes] = {};
    const std::int64_t half = rope / 2;
    widen_row<V>(v, row, rope);
    widen_row<V>(table, c, half);
    widen_row<V>(table + half, s, half);
    for (std::int64_t k = 0; k < half; ++k) even[k] = row[2 * k], odd[k] = row[2 * k + 1];
    const V minus = V::broadcast(-1.0f);
    for (std::int64_t k = 0; k < half; k += V::lanes) {
        const V e = V::load(even + k), o = V::load(odd + k), cosine = V::load(c + k), sine = V::load(s + k);
        turned<Q>(e, cosine, o * minus, sine).store(even + k);
        turned<Q>(o, cosine, e, sine).store(odd + k);
    }
    for (std::int64_t k = 0; k < half; ++k) row[2 * k] = even[k], row[2 * k + 1] = odd[k];
    store_row<V>(row, v, rope);
}

template <class Q>
void rotate_by_position(const ulpgate_mla_query& a, std::int64_t token, typename Q::X* v) {
    const auto at = *token_row<const std::int64_t>(a, a.positions, token) * a.cos_sin.stride[0];
    if (a.cos_sin.type == ULPGATE_F32) rotate<Q>(v, static_cast<const F32*>(a.cos_sin.data) + at, a.rope);
    else rotate<Q>(v, static_cast<const typename Q::X*>(a.cos_sin.data) + at, a.rope);
}

// kv: the token's latents behind q_a.
template <class Q>
void give_key(const ulpgate_mla_query& a, const typename Q::X* kv, std::int64_t token) {
    auto* const to = token_row<typename Q::X>(a, a.k_input, token);
    norm_latent<Q>(a, kv, a.kv_gain, to, a.kv_rank);
    std::memcpy(to + a.kv_rank, kv + a.kv_rank, static_cast<std::size_t>(a.rope) * sizeof *to);
    if (a.positions.data) rotate_by_position<Q>(a, token, to + a.kv_rank);
}

// Every head's q_pe: where it is given out, or in the token's row.
template <class Q>
void rotate_heads(const ulpgate_mla_query& a, std::int64_t token, typename Q::X* row) {
    const std::int64_t b = token / a.tokens, t = token % a.tokens;
    for (std::int64_t head = 0; head < a.heads; ++head) {
        if (row) rotate_by_position<Q>(a, token, row + head * (a.nope + a.rope) + a.nope);
        if (a.q_pe.data) rotate_by_position<Q>(a, token, static_cast<typename Q::X*>(a.q_pe.data) + b * a.q_pe.stride[0] + head * a.q_pe.stride[1] + t * a.q_pe.stride[2]);
    }
}

template <class Q>
struct AbsorbSink {
    const ulpgate_mla_query& a;
    std::int64_t first, head;
    VECTOR_TARGET void operator()(std::int64_t token, std::int64_t row, std::int64_t n, const F32* y) const {
        store_row<typename Q::V>(y, token_row<typename Q::X>(a, a.q_absorbed, first + token) + head * a.q_absorbed.stride[2] + row, n);
    }
};

template <class Q>
struct AbsorbJob {
    const ulpgate_mla_query& a;
    const typename Q::X* rows;
    F32* scratch;  // head_size() for each thread
    std::int64_t first, tokens, threads;

    void part(std::int64_t k) const {
        using V = typename Q::V;
        using X = typename Q::X;
        const std::int64_t width = a.nope + a.rope;
        F32* const own = scratch + k * QueryRoom<V>::head_size(tokens, a.nope);
        const Panel x{own, tokens, a.nope};
        for (std::int64_t head = k * a.heads / threads; head < (k + 1) * a.heads / threads; ++head) {
            for (std::int64_t i = 0; i < tokens; ++i) {
                const X* const q = rows + i * a.heads * width + head * width;
                widen<V>(x, i, q);
                std::memcpy(token_row<X>(a, a.q_absorbed, first + i) + head * a.q_absorbed.stride[2] + a.kv_rank, q + a.nope, static_cast<std::size_t>(a.rope) * sizeof *q);
            }
            const Weights<X> w{static_cast<const X*>(a.k_c.data) + head * a.k_c.stride[0], a.kv_rank, a.nope, a.k_c.stride[1], nullptr, 0, 0, 1, 1};
            gemm_rows<V, X, false>(x, w, 0, a.kv_rank, own + Panel::size(tokens, a.nope), AbsorbSink<Q>{a, first, head});
        }
    }
};

// rows: q of each token, q_pe rotated.
template <class Q>
void absorb(const ulpgate_mla_query& a, const typename Q::X* rows, F32* scratch, const QueryRoom<typename Q::V>& room, std::int64_t first, std::int64_t tokens) {
    const AbsorbJob<Q> job{a, rows, scratch, first, tokens, room.c_threads};
    over_rows(
        [](const void* p, std::int64_t begin, std::int64_t end) {
            for (std::int64_t k = begin; k < end; ++k) static_cast<const AbsorbJob<Q>*>(p)->part(k);
        },
        &job, room.c_threads, room.c_threads);
}

}  // namespace kernel
