// What a projection y = T(x w^T [+ bias]) reads and where its outputs go: one argument struct for every way to compute it.
#pragma once
#include "instructions.cuh"

struct View {  // [batch, head, token, column] by strides in elements; p null: absent
    void* p;
    long long batch, head, token, column;
};

struct Projection {
    const void *x, *w, *bias;       // bias: [outs] or null
    const float* scale;             // of e4m3 weights: one a block of 128 x 128
    long long x_batch, x_token, x_head;  // of x [batch, tokens, depth]; x_head, w_head: a step of blockIdx.z
    long long w_row, w_head, scale_row;  // of w [outs, depth] and scale
    View whole, tap;                // outputs as [batch, token, out]; whole: blockIdx.z is the head
    View nope, pe;                  // outputs by head: the first nope_size of each, and the rest
    int tokens;                     // of one batch
    int all_tokens, outs, depth;    // all_tokens: batch * tokens
    int nope_size, rope_size, bias_after;  // bias_after: the sum is rounded to T before the bias is added
    int logits;                     // 0: outputs are of T; 1: T widened to f32; 2: the f32 sum; then whole alone is written
};

template <class S>
__device__ S* at(const View& v, int tokens, long long token, int head, long long column) {
    return static_cast<S*>(v.p) + token / tokens * v.batch + head * v.head + token % tokens * v.token + column * v.column;
}

// x and w of this block's head.
template <class S>
__device__ const S* input(const Projection& p) { return static_cast<const S*>(p.x) + blockIdx.z * p.x_head; }
template <class S>
__device__ const S* weight(const Projection& p) { return static_cast<const S*>(p.w) + blockIdx.z * p.w_head; }
// Where a token's row of x begins, in elements.
__device__ inline long long token_at(const Projection& p, int token) { return token / p.tokens * p.x_batch + token % p.tokens * p.x_token; }

// Rounded once, to T.
template <class T>
__device__ void put(const Projection& p, int token, int out, float sum) {
    using S = typename T::Storage;
    if (token >= p.all_tokens || out >= p.outs) return;
    if (p.bias) {
        if (p.bias_after) sum = T::load(T::store(sum));
        sum = __fadd_rn(sum, T::load(static_cast<const S*>(p.bias)[out]));
    }
    const S y = T::store(sum);
    if (p.logits) {
        *at<float>(p.whole, p.tokens, token, blockIdx.z, out) = p.logits == 1 ? T::load(y) : sum;
        return;
    }
    if (p.whole.p) *at<S>(p.whole, p.tokens, token, blockIdx.z, out) = y;
    if (p.tap.p) *at<S>(p.tap, p.tokens, token, 0, out) = y;
    if (!p.nope.p) return;
    const int size = p.nope_size + p.rope_size, head = out / size, column = out % size;
    if (column < p.nope_size) *at<S>(p.nope, p.tokens, token, head, column) = y;
    else *at<S>(p.pe, p.tokens, token, head, column - p.nope_size) = y;
}
