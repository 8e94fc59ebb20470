// Query paths with one fault each: the right pieces, and the changed ones. NAME.toml says which make up a path; faults that are one
// word of a launch (an eps, a depth, a width) stand in the launch alone.
#include "fourteen_bits.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(256)
#define PUT static_cast<Element*>(p.y)[n] =

KERNEL product(Product p) { EACH_OUTPUT; PUT rounded(with_bias(p, right_sum(p, x, o), o)); }
KERNEL product_f32(Product p) { EACH_OUTPUT; static_cast<float*>(p.y)[n] = right_sum(p, x, o); }
KERNEL product_t_in_f32(Product p) { EACH_OUTPUT; static_cast<float*>(p.y)[n] = in_t(right_sum(p, x, o)); }
KERNEL product_acc_low(Product p) {
    EACH_OUTPUT;
    float s = 0.0f;
#pragma unroll 1
    for (int k = 0; k < p.depth; ++k) s = in_t(__fadd_rn(s, in_t(__fmul_rn(value(x[k]), value(p.w[o * p.w_row + k])))));
    PUT rounded(s);
}
KERNEL product_splitk_low(Product p) {
    EACH_OUTPUT;
    const auto w = [&](int k) { return value(p.w[o * p.w_row + k]); };
    const float low = in_t(serial(p, x, 0, p.depth / 2, w));
    PUT rounded(__fadd_rn(low, in_t(serial(p, x, p.depth / 2, p.depth, w))));
}
KERNEL product_bias_after_cast(Product p) { EACH_OUTPUT; PUT rounded(__fadd_rn(in_t(right_sum(p, x, o)), value(p.bias[o]))); }
KERNEL product_fp16_input(Product p) {
    EACH_OUTPUT;
    float s = 0.0f;
#pragma unroll 1
    for (int k = 0; k < p.depth; ++k) s = __fadd_rn(s, __fmul_rn(__half2float(__float2half_rn(value(x[k]))), value(p.w[o * p.w_row + k])));
    PUT rounded(with_bias(p, s, o));
}
KERNEL product_transposed(Product p) { EACH_OUTPUT; PUT rounded(serial(p, x, 0, p.depth, [&](int k) { return value(p.w[k * p.outs + o]); })); }
// bias: the norm's gain, folded into the weights.
KERNEL product_gain_folded(Product p) { EACH_OUTPUT; PUT rounded(serial(p, x, 0, p.depth, [&](int k) { return in_t(__fmul_rn(value(p.w[o * p.w_row + k]), value(p.bias[k]))); })); }

__device__ inline float as_it_is(float s) { return s; }
#define OWN_BLOCK [](int row, int column, int, int columns) { return row * columns + column; }
KERNEL coded(Coded c) { coded_product(c, OWN_BLOCK, as_it_is); }
KERNEL coded_scale_missing(Coded c) { coded_product(c, OWN_BLOCK, [](float) { return 1.0f; }); }
KERNEL coded_scale_inverted(Coded c) { coded_product(c, OWN_BLOCK, [](float s) { return __frcp_rn(s); }); }
KERNEL coded_scale_exponent(Coded c) { coded_product(c, OWN_BLOCK, [](float s) { return __uint2float_rn(__float_as_uint(s) >> 23 & 0xffu); }); }
KERNEL coded_scale_first_row(Coded c) { coded_product(c, [](int, int column, int, int) { return column; }, as_it_is); }
KERNEL coded_scale_shifted(Coded c) { coded_product(c, [](int row, int column, int, int columns) { return row * columns + max(column - 1, 0); }, as_it_is); }
KERNEL coded_scale_transposed(Coded c) { coded_product(c, [](int row, int column, int rows, int) { return column * rows + row; }, as_it_is); }
KERNEL coded_14_bits(Coded c) { coded_product_14_bits(c); }

KERNEL norm_rows(Norm a) { norm_row(a, [&](long long at) { return value(static_cast<const Element*>(a.x)[at]); }); }
KERNEL norm_of_f32(Norm a) { norm_row(a, [&](long long at) { return static_cast<const float*>(a.x)[at]; }); }

#define SPLIT(name, ...) \
    KERNEL name(Split s) { split(s, [&](int token, int head, int j, int size) -> From { __VA_ARGS__; }); }
SPLIT(split_right, return {token, head * size + j})
SPLIT(split_pe_first, return {token, head * size + (j < s.nope_size ? s.rope_size + j : j - s.nope_size)})
SPLIT(split_axis_swap, return {token % s.tokens * s.batch + token / s.tokens, head * size + j})
SPLIT(split_dim_major, return {token, j * s.heads + head})
SPLIT(split_head_stride, return {token, head * s.nope_size + j})
SPLIT(split_no_transpose, const int flat = head * s.tokens + token % s.tokens; return {token / s.tokens * s.tokens + flat / s.heads, flat % s.heads * size + j})
SPLIT(split_deinterleaved, const int k = j - s.nope_size; const int half = s.rope_size / 2;
      return {token, head * size + (k < 0 ? j : s.nope_size + (k < half ? 2 * k : 2 * (k - half) + 1))})
SPLIT(split_one_early, return {token, head * size + (j < s.nope_size ? j : j - 1)})
SPLIT(split_first_token, return {token / s.tokens * s.tokens, head * size + j})

#define OWN_POSITION [&](int row) { return r.positions[row / r.tokens * r.positions_batch + row % r.tokens * r.positions_token]; }
#define NEIGHBOURS [](int k, int) { return make_int2(2 * k, 2 * k + 1); }
KERNEL rotate_right(Rotation r) { rotate(r, OWN_POSITION, NEIGHBOURS); }
KERNEL rotate_half(Rotation r) { rotate(r, OWN_POSITION, [](int k, int half) { return make_int2(k, half + k); }); }
KERNEL rotate_restart(Rotation r) { rotate(r, [&](int row) { return static_cast<long long>(row % r.tokens); }, NEIGHBOURS); }
KERNEL rotate_shared(Rotation r) { rotate(r, [&](int) { return r.positions[0]; }, NEIGHBOURS); }

// k_input: what the kv norm gave, then the rope columns of the latents, to where it belongs.
KERNEL key(const Element* normed, const Element* latent, Element* to, long long batch, long long token, int rows, int tokens, int q_rank, int kv_rank, int rope, int a_out) {
    const int size = kv_rank + rope, n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= rows * size) return;
    const int row = n / size, k = n % size;
    to[row / tokens * batch + row % tokens * token + k] = k < kv_rank ? normed[row * kv_rank + k] : latent[static_cast<long long>(row) * a_out + q_rank + k];
}
