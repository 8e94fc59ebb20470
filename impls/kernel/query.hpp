// The query path of MLA and a plain projection (the head) over any vector type V: written once, instantiated for each
// instruction set.
//
//   q_a = X(h a^T [+ bias]);  n = X(gain * X(q_a * r)), r = 1 / rms(q_a) with latent_eps;  q = X(n q_b^T)
// q_rank 0: q = X(h q_b^T). q [batch, tokens, heads, nope + rope] is written transposed, as q_nope and q_pe [batch, heads, tokens, ...].
// An `a` of q_rank + kv_rank + rope rows has k_input below q_a; positions rotate q_pe and k_pe; k_c asks for q_absorbed instead of
// q_nope and q_pe: impls/kernel/attention.hpp.
// Sums as impls/kernel/gemm.hpp says, the norm as impls/kernel/rmsnorm.hpp; the norm reads q_a where the projection left it, at
// any row stride. Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 662-688, 767-774, 1522, 1614-1616.
//
// Tokens go through 96 at a time, so that a call of any length needs the same workspace. No tokens: nothing is done.
// ULPGATE_REFUSED: strided columns, scale blocks that no vector fits. ULPGATE_BAD_ARGUMENT: shapes that do not multiply, heads that
// do not divide, tables and taps of the wrong size, rows that overlap, negative sizes. A NaN or an infinity among the weights or in a token goes where IEEE arithmetic takes it.
#pragma once
#include <cstring>

#include "impls/kernel/attention.hpp"
#include "impls/kernel/query_parts.hpp"

namespace kernel {

template <class Q>
int check(const ulpgate_mla_query& a) {
    using X = typename Q::X;
    if (a.batch < 0 || a.tokens < 0 || a.hidden < 1 || a.q_rank < 0 || a.heads < 1 || a.nope < 0 || a.rope < 0) return ULPGATE_BAD_ARGUMENT;
    if (a.batch * a.tokens == 0) return ULPGATE_OK;
    if (!is(a.h, X::type) || (a.q_rank && !is(a.q_gain, X::type))) return ULPGATE_BAD_ARGUMENT;
    const ulpgate_tensor* const all[] = {&a.h, &a.q_gain, &a.a.bias, &a.q_nope, &a.q_pe, &a.q, &a.kv_gain,
                                         &a.k_c, &a.q_absorbed, &a.k_input, &a.tap_a, &a.tap_norm, &a.tap_q_b};
    for (const ulpgate_tensor* t : all)
        if (const int status = check_optional<X>(*t); status != ULPGATE_OK) return status;
    if (!shaped(a.h, a.batch, a.tokens, a.hidden) || !shaped(a.q_nope, a.batch, a.heads, a.tokens, a.nope) || !shaped(a.q_pe, a.batch, a.heads, a.tokens, a.rope) ||
        !shaped(a.tap_a, a.batch, a.tokens, latent_width(a)) || !shaped(a.tap_norm, a.batch, a.tokens, a.q_rank) ||
        !shaped(a.tap_q_b, a.batch, a.tokens, a.heads * (a.nope + a.rope)) || (a.q_rank && !shaped(a.q_gain, a.q_rank)))
        return ULPGATE_BAD_ARGUMENT;
    if (const int status = check_attention<Q>(a); status != ULPGATE_OK) return status;
    if (a.q_rank)
        if (const int status = check_weight<typename Q::V, typename Q::W>(a.a, latent_width(a), a.hidden); status != ULPGATE_OK) return status;
    return check_weight<typename Q::V, typename Q::W>(a.q_b, a.heads * (a.nope + a.rope), a.q_rank ? a.q_rank : a.hidden);
}

template <class X>
void copy_tap(const ulpgate_mla_query& a, const ulpgate_tensor& tap, const X* rows, std::int64_t stride, std::int64_t width, std::int64_t first, std::int64_t tokens) {
    if (!tap.data) return;
    for (std::int64_t i = 0; i < tokens; ++i)
        std::memcpy(token_row<X>(a, tap, first + i), rows + i * stride, static_cast<std::size_t>(width) * sizeof(X));
}

// Tokens first to first + tokens.
template <class Q>
void query_block(const ulpgate_mla_query& a, const QueryRoom<typename Q::V>& room, std::int64_t first, std::int64_t tokens) {
    using V = typename Q::V;
    using X = typename Q::X;
    auto* const floats = static_cast<F32*>(a.call.workspace);
    F32* const scratch = floats + room.scratch;
    auto* const rows = a.k_c.data ? reinterpret_cast<X*>(floats + room.rows) : nullptr;
    const QuerySink<Q> sink{a, first, rows};
    Panel x{floats + room.panel, tokens, a.hidden};
    for (std::int64_t i = 0; i < tokens; ++i) widen<V>(x, i, token_row<X>(a, a.h, first + i));
    if (a.q_rank) {
        auto *const latents = reinterpret_cast<X*>(floats + room.latents), *const normed = reinterpret_cast<X*>(floats + room.normed);
        const std::int64_t wide = a.a.w.size[0];
        const LatentSink<Q> latent{latents, wide, static_cast<const X*>(a.a.bias.data)};
        Gemm<V, typename Q::W, LatentSink<Q>>{x, weights<typename Q::W>(a.a), latent, scratch, room.a_threads}.run();
        for (std::int64_t i = 0; i < tokens; ++i) norm_latent<Q>(a, latents + i * wide, a.q_gain, normed + i * a.q_rank, a.q_rank);
        copy_tap(a, a.tap_a, latents, wide, wide, first, tokens);
        copy_tap(a, a.tap_norm, normed, a.q_rank, a.q_rank, first, tokens);
        for (std::int64_t i = 0; a.k_input.data && i < tokens; ++i) give_key<Q>(a, latents + i * wide + a.q_rank, first + i);
        x.columns = a.q_rank;
        for (std::int64_t i = 0; i < tokens; ++i) widen<V>(x, i, normed + i * a.q_rank);
    }
    Gemm<V, typename Q::W, QuerySink<Q>>{x, weights<typename Q::W>(a.q_b), sink, scratch, room.b_threads}.run();
    if (a.positions.data)
        for (std::int64_t i = 0; i < tokens; ++i) rotate_heads<Q>(a, first + i, rows ? rows + i * a.heads * (a.nope + a.rope) : nullptr);
    if (rows) absorb<Q>(a, rows, scratch, room, first, tokens);
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
