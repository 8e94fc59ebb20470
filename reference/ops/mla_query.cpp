// h -> q_a_proj -> T -> q_a_layernorm -> q_b_proj -> T -> view [B,T,H,192] -> transpose [B,H,T,192] -> split 128 | 64.
// q_rank 0 (q_lora_rank null): q_b is q_proj [H*192, hidden], and there is no norm.
// kv=fused: kv_a_proj_with_mqa [kv_rank + rope, hidden] stands below q_a_proj in `a`; its first kv_rank outputs are normalised with
// kv_gain, the rest is k_pe: k_input. rope: q_pe and k_pe are rotated by the row of cos_sin (rope/2 cosines, rope/2 sines) that the
// token's position names, element 2k with 2k + 1. absorb: T(q_nope w_kc^T) and q_pe: q_absorbed.
// Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 662-688 and 767-774; its rotary embedding leaves
// element 2k at k and 2k + 1 at rope/2 + k, which no product of a q with a k shows.
#include "reference/ops/query_tensors.hpp"

namespace ulpgate::ops {
namespace {

constexpr TensorSpec tensors[] = {
    {"h", Dir::in, Of::x, {Dim::batch, Dim::tokens, Dim::hidden}},
    {"a", Dir::weight, Of::weights, {Dim::a_out, Dim::hidden}},
    {"a_scale", Dir::weight, Of::f32, {Dim::a_block_rows, Dim::a_block_columns}, has_scales},
    {"a_bias", Dir::in, Of::x, {Dim::a_out}, has_bias},
    {"q_gain", Dir::in, Of::w, {Dim::q_rank}},
    {"q_b", Dir::weight, Of::weights, {Dim::b_out, Dim::b_in}},
    {"q_b_scale", Dir::weight, Of::f32, {Dim::b_block_rows, Dim::b_block_columns}, has_scales},
    {"kv_gain", Dir::in, Of::w, {Dim::kv_rank}, is_fused},
    {"k_c", Dir::weight, Of::x, {Dim::heads, Dim::kv_rank, Dim::nope}, absorbs},
    {"positions", Dir::in, Of::i64, {Dim::batch, Dim::tokens}, has_rope},
    {"cos_sin", Dir::in, Of::angles, {Dim::places, Dim::rope}, has_rope},
    {"q_nope", Dir::out, Of::x, {Dim::batch, Dim::heads, Dim::tokens, Dim::nope}, splits_q},
    {"q_pe", Dir::out, Of::x, {Dim::batch, Dim::heads, Dim::tokens, Dim::rope}, splits_q},
    {"q_absorbed", Dir::out, Of::x, {Dim::batch, Dim::tokens, Dim::heads, Dim::absorbed}, absorbs},
    {"k_input", Dir::out, Of::x, {Dim::batch, Dim::tokens, Dim::absorbed}, is_fused},
    {"tap_a", Dir::tap, Of::x, {Dim::batch, Dim::tokens, Dim::a_out}, has_taps},
    {"tap_norm", Dir::tap, Of::x, {Dim::batch, Dim::tokens, Dim::q_rank}, has_taps},
    {"tap_q_b", Dir::tap, Of::x, {Dim::batch, Dim::tokens, Dim::b_out}, has_taps},
};

void shape(Sizes& s) {
    s[Dim::batch] = s[Dim::tokens] = 1;
    s[Dim::hidden] = 7168;
    s[Dim::heads] = 64;
    s[Dim::q_rank] = 1536;
    s[Dim::kv_rank] = 512;
    s[Dim::nope] = 128;
    s[Dim::rope] = 64;
}

void derive(Sizes& s) {
    s[Dim::rows] = s[Dim::batch] * s[Dim::tokens];
    s[Dim::a_out] = s[Dim::q_rank] + s[Dim::kv_out];
    s[Dim::absorbed] = s[Dim::kv_rank] + s[Dim::rope];
    s[Dim::b_in] = s[Dim::q_rank] ? s[Dim::q_rank] : s[Dim::hidden];
    s[Dim::b_out] = s[Dim::heads] * (s[Dim::nope] + s[Dim::rope]);
    derive_blocks(s);
}

}  // namespace

PIECE(Op, mla_query) = {"mla_query",
    "the query of attention: two projections with a norm between, split into q_nope and q_pe; the norm's eps is the class default 1e-6",
    Abi::mla_query, tensors, Dim::hidden, 0, shape, derive};

}  // namespace ulpgate::ops
