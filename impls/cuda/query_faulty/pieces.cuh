// A plain bf16 query path in pieces, written apart from impls/cuda/query: a thread an output, serial sums. Each fault is one piece
// changed, or one word of the launch description.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using Element = __nv_bfloat16;

__device__ inline float value(Element v) { return __bfloat162float(v); }
__device__ inline Element rounded(float v) { return __float2bfloat16_rn(v); }
__device__ inline float in_t(float v) { return value(rounded(v)); }

// y[row][o] = sum over k of x[row][k] w[o][k]; rows side by side but for x_row.
struct Product {
    const Element *x, *w, *bias;
    void* y;
    long long x_row, w_row;
    int rows, outs, depth;
};
#define EACH_OUTPUT                                           \
    const int n = blockIdx.x * blockDim.x + threadIdx.x;      \
    if (n >= p.rows * p.outs) return;                         \
    const int row = n / p.outs, o = n % p.outs;               \
    const Element* const x = p.x + row * p.x_row

template <class Weight>
__device__ float serial(const Product& p, const Element* x, int from, int to, Weight w) {
    float s = 0.0f;
#pragma unroll 1
    for (int k = from; k < to; ++k) s = __fadd_rn(s, __fmul_rn(value(x[k]), w(k)));
    return s;
}
__device__ inline float right_sum(const Product& p, const Element* x, int o) {
    return serial(p, x, 0, p.depth, [&](int k) { return value(p.w[o * p.w_row + k]); });
}
__device__ inline float with_bias(const Product& p, float s, int o) { return p.bias ? __fadd_rn(s, value(p.bias[o])) : s; }

__device__ inline float e4m3(unsigned char v) {
    const unsigned sign = (v & 0x80u) << 24, a = v & 0x7fu;
    const float small = __fmul_rn(__uint2float_rn(a), 0x1p-9f);
    return __uint_as_float(sign | (a == 0x7fu ? 0x7fc00000u : a < 8 ? __float_as_uint(small) : (a << 20) + (120u << 23)));
}
// Codes with a scale a block of 128 x 128. at(block row, block column, block rows, block columns): which scale.
struct Coded {
    Product p;
    const float* scale;
    long long scale_row;
};
template <class At, class Change>
__device__ void coded_product(const Coded& c, At at, Change change) {
    const Product& p = c.p;
    EACH_OUTPUT;
    const int rows = (p.outs + 127) / 128, columns = (p.depth + 127) / 128;
    const auto* const w = reinterpret_cast<const unsigned char*>(p.w) + o * p.w_row;
    const float s = serial(p, x, 0, p.depth, [&](int k) {
        const int block = at(o / 128, k / 128, rows, columns);
        return __fmul_rn(e4m3(w[k]), change(c.scale[block / columns * c.scale_row + block % columns]));
    });
    static_cast<Element*>(p.y)[n] = rounded(s);
}

// A thread a row: y = T(w T(x r)), r over `over` columns of x. w null: ones.
struct Norm {
    const void* x;
    const Element* w;
    Element* y;
    long long x_row, x_first, y_row;
    int rows, d, over_first, over;
    float eps;
};
template <class Load>
__device__ void norm_row(const Norm& a, Load load) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    float s = 0.0f;
#pragma unroll 1
    for (int k = 0; k < a.over; ++k) {
        const float v = load(row * a.x_row + a.over_first + k);
        s = __fadd_rn(s, __fmul_rn(v, v));
    }
    const float r = __frcp_rn(__fsqrt_rn(__fadd_rn(__fdiv_rn(s, __int2float_rn(a.over)), a.eps)));
#pragma unroll 1
    for (int k = 0; k < a.d; ++k) {
        const float t = in_t(__fmul_rn(load(row * a.x_row + a.x_first + k), r));
        a.y[row * a.y_row + k] = rounded(a.w ? __fmul_rn(t, value(a.w[k])) : t);
    }
}

// q rows [tokens][heads * (nope + rope)] to q_nope and q_pe. source(batch, tokens, ...): which token and row an output comes from.
struct Split {
    const Element* q;
    Element *nope, *pe;
    long long nope_batch, nope_head, nope_token, pe_batch, pe_head, pe_token;
    int batch, tokens, heads, nope_size, rope_size;
};
struct From {
    int token, row;
};
template <class Source>
__device__ void split(const Split& s, Source source) {
    const int size = s.nope_size + s.rope_size, n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= s.batch * s.tokens * s.heads * size) return;
    const int j = n % size, head = n / size % s.heads, token = n / size / s.heads, b = token / s.tokens, t = token % s.tokens;
    const From f = source(token, head, j, size);
    const Element v = s.q[static_cast<long long>(f.token) * s.heads * size + f.row];
    if (j < s.nope_size) s.nope[b * s.nope_batch + head * s.nope_head + t * s.nope_token + j] = v;
    else s.pe[b * s.pe_batch + head * s.pe_head + t * s.pe_token + j - s.nope_size] = v;
}

// The rope columns of each stretch of `width` from `first` on, in place.
struct Rotation {
    Element* v;
    const long long* positions;
    const float* table;
    long long positions_batch, positions_token, table_row;
    int rows, tokens, stretches, width, first, rope;
};
template <class Position, class Pair>
__device__ void rotate(const Rotation& r, Position position, Pair pair) {
    const int half = r.rope / 2, n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= r.rows * r.stretches * half) return;
    const int k = n % half, row = n / half / r.stretches;
    const float* const table = r.table + position(row) * r.table_row;
    Element* const v = r.v + static_cast<long long>(n / half) * r.width + r.first;
    const int2 at = pair(k, half);
    const float a = value(v[at.x]), b = value(v[at.y]), c = table[k], s = table[half + k];
    v[at.x] = rounded(__fadd_rn(__fmul_rn(a, c), __fmul_rn(-b, s)));
    v[at.y] = rounded(__fadd_rn(__fmul_rn(b, c), __fmul_rn(a, s)));
}
