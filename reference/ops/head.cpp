// z [B,T,7168] . [163840,7168]^T: the untied head. Logits are T(dot), then widened to f32.
// Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 1522, 1614-1616.
#include "reference/ops/query_tensors.hpp"

namespace ulpgate::ops {
namespace {

constexpr TensorSpec tensors[] = {
    {"x", Dir::in, Of::x, {Dim::rows, Dim::hidden}},
    {"w", Dir::weight, Of::weights, {Dim::b_out, Dim::b_in}},
    {"w_scale", Dir::weight, Of::f32, {Dim::b_block_rows, Dim::b_block_columns}, has_scales},
    {"y", Dir::out, Of::f32, {Dim::rows, Dim::b_out}},
};

}  // namespace

PIECE(Op, head) = {"head", "the untied head: logits are T(dot), widened to f32; judged on a slice of the vocabulary",
    Abi::linear, tensors, Dim::hidden, 0,
    [](Sizes& s) {
        s[Dim::batch] = s[Dim::tokens] = 1;
        s[Dim::hidden] = 7168;
        s[Dim::b_out] = 4096;  // rows of 163840: whole, they are 2.35 GB
    },
    [](Sizes& s) {
        s[Dim::rows] = s[Dim::batch] * s[Dim::tokens];
        s[Dim::b_in] = s[Dim::hidden];
        derive_blocks(s);
    }};

}  // namespace ulpgate::ops
