// A projection on tensor cores. Weights are the left factor, so that few tokens waste little: a block takes 64 outputs (16 a
// warp) and 8 n tokens, 64 columns a stage, three stages in flight.
//
//   sum   mma.sync.m16n8k16 from +0, columns 0-15, 16-31, ... in order; columns past the end are zeros, which take no part
//
// Any depth, outputs, tokens, strides and addresses: where rows of 16 bytes are not aligned, elements are loaded one by one
// to the same places, so that the address changes no bit; nor does the number of tokens.
#pragma once
#include "projection.cuh"

constexpr int stage_count = 3, stage_depth = 64, block_outs = 64, row_pitch = stage_depth + 8;  // 16 bytes more: no bank conflicts

// Rows [first, first + count) of a matrix, columns [column, column + 64), to shared memory; zeros outside of it.
template <class S, int count, class RowAt>
__device__ void load_stage(S* to, RowAt row_at, int first, int rows, int column, int depth, bool aligned) {
#pragma unroll 1
    for (int c = threadIdx.x; c < count * 8; c += 128) {  // 8 elements of a row
        const int row = first + c / 8, k = column + c % 8 * 8, left = row < rows ? min(max(depth - k, 0), 8) : 0;
        S* const place = to + c / 8 * row_pitch + c % 8 * 8;
        const S* const from = left ? row_at(row) + k : row_at(0);
        if (aligned) {
            copy_async(place, from, left * static_cast<int>(sizeof(S)));
        } else {
#pragma unroll 1
            for (int e = 0; e < 8; ++e) place[e] = e < left ? from[e] : S(0.0f);
        }
    }
}

// A block's tokens as they stand in p.x.
template <class T, int count>
struct Tokens {
    using S = typename T::Storage;
    static constexpr int tiles = count / 8;
    const Projection& p;
    const S* const x = input<S>(p);
    const bool aligned = vector_aligned<T>(x) && p.x_batch % 8 == 0 && p.x_token % 8 == 0;

    __device__ void load(S* to, int first, int column) const {
        load_stage<S, count>(to, [&](int row) { return x + token_at(p, row); }, first, p.all_tokens, column, p.depth, aligned);
    }
};

// tokens: where the right factor comes from, a stage at a time.
template <class T, class From>
__device__ void project_tensor_core(const Projection& p, const From& tokens) {
    using S = typename T::Storage;
    constexpr int token_tiles = From::tiles, block_tokens = 8 * token_tiles;
    __shared__ __align__(16) S weights[stage_count][block_outs * row_pitch];
    __shared__ __align__(16) S inputs[stage_count][block_tokens * row_pitch];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first_out = blockIdx.x * block_outs, first_token = blockIdx.y * block_tokens;
    const S* const w = weight<S>(p);
    const bool w_aligned = vector_aligned<T>(w) && p.w_row % 8 == 0;
    const int stages = (p.depth + stage_depth - 1) / stage_depth;

    float sum[token_tiles][4] = {};
#pragma unroll 1
    for (int stage = -2; stage < stages; ++stage) {
        wait_copies<1>();
        __syncthreads();  // this stage is there, and the one before it is done with
        if (const int next = stage + 2; next < stages) {
            const int at = next % stage_count, column = next * stage_depth;
            load_stage<S, block_outs>(weights[at], [&](int row) { return w + row * p.w_row; }, first_out, p.outs, column, p.depth, w_aligned);
            tokens.load(inputs[at], first_token, column);
        }
        commit_copies();
        if (stage < 0) continue;
        const S* const a_tile = weights[stage % stage_count] + (16 * warp + lane % 16) * row_pitch + lane / 16 * 8;
        const S* const b_tile = inputs[stage % stage_count] + lane % 8 * row_pitch + lane / 8 * 8;
#pragma unroll
        for (int k = 0; k < stage_depth; k += 32) {
            unsigned a[2][4];
            load_matrices(a[0], a_tile + k);
            load_matrices(a[1], a_tile + k + 16);
#pragma unroll
            for (int n = 0; n < token_tiles; ++n) {
                unsigned b[4];  // 32 columns of 8 tokens
                load_matrices(b, b_tile + 8 * n * row_pitch + k);
                multiply<T>(sum[n], a[0], b[0], b[1]);
                multiply<T>(sum[n], a[1], b[2], b[3]);
            }
        }
    }
    // Lane 4 g + t holds outputs g and g + 8 of tokens 2 t and 2 t + 1. They go out by token, neighbouring outputs together.
    __syncthreads();
    constexpr int pitch = block_outs + 4;
    static_assert(sizeof weights >= block_tokens * pitch * sizeof(float), "the sums fit where weights were");
    float* const sums = reinterpret_cast<float*>(weights);
#pragma unroll
    for (int n = 0; n < token_tiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[(8 * n + lane % 4 * 2 + i % 2) * pitch + 16 * warp + lane / 4 + i / 2 * 8] = sum[n][i];
    __syncthreads();
#pragma unroll 1
    for (int e = threadIdx.x; e < block_tokens * block_outs; e += 128) put<T>(p, first_token + e / block_outs, first_out + e % block_outs, sums[e / block_outs * pitch + e % block_outs]);
}
