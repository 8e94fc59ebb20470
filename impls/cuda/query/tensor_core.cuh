// A projection on tensor cores. Weights are the left factor, so that few tokens waste little: a block takes 64 outputs (16 a
// warp) and 8 n tokens, 64 columns a stage, three stages in flight.
//
//   sum   mma.sync.m16n8k16 from +0, columns 0-15, 16-31, ... in order; columns past the end are zeros, which take no part; of
//         e4m3 weights 128 columns so, times their scale, added up in f32
//
// Any depth, outputs, tokens, strides and addresses: where rows of 16 bytes are not aligned, elements are loaded one by one
// to the same places, so that the address changes no bit; nor does the number of tokens.
#pragma once
#include "e4m3.cuh"
#include "projection.cuh"

constexpr int stage_count = 3, stage_depth = 64, block_outs = 64, row_pitch = stage_depth + 8;  // 16 bytes more: no bank conflicts

// Rows [first, first + count) of a matrix, columns [column, column + 64), to shared memory, `pitch` elements a row; zeros outside of it.
template <class S, int count, int pitch, class RowAt>
__device__ void load_stage(S* to, RowAt row_at, int first, int rows, int column, int depth, bool aligned) {
    constexpr int some = 16 / sizeof(S), a_row = stage_depth / some;  // elements at a time
#pragma unroll 1
    for (int c = threadIdx.x; c < count * a_row; c += 128) {
        const int row = first + c / a_row, k = column + c % a_row * some, left = row < rows ? min(max(depth - k, 0), some) : 0;
        S* const place = to + c / a_row * pitch + c % a_row * some;
        const S* const from = left ? row_at(row) + k : row_at(0);
        if (aligned) {
            copy_async(place, from, left * static_cast<int>(sizeof(S)));
        } else {
#pragma unroll 1
            for (int e = 0; e < some; ++e) place[e] = e < left ? from[e] : S(0.0f);
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
        load_stage<S, count, row_pitch>(to, [&](int row) { return x + token_at(p, row); }, first, p.all_tokens, column, p.depth, aligned);
    }
};

// A block's outputs: weights as they stand in p.w.
template <class T>
struct Weights {
    using S = typename T::Storage;
    static constexpr bool scaled = false;
    const Projection& p;
    const S* const w = weight<S>(p);
    const bool aligned = vector_aligned<T>(w) && p.w_row % 8 == 0;
    struct Shared {
        S stage[stage_count][block_outs * row_pitch];
    };
    __device__ void load(Shared& to, int stage, int first) const {
        load_stage<S, block_outs, row_pitch>(to.stage[stage % stage_count], [&](int row) { return w + row * p.w_row; }, first, p.outs, stage * stage_depth, p.depth, aligned);
    }
    __device__ const S* tile(Shared& from, int stage) const { return from.stage[stage % stage_count]; }
};

// Codes of e4m3, which travel as codes and become T beside the step that multiplies them: T holds every one of them. Their scale stands by 128 x
// 128 and is no factor of T: 128 columns are summed, scaled in f32, and added in f32.
template <class T>
struct Codes {
    using S = typename T::Storage;
    static constexpr bool scaled = true;
    const Projection& p;
    const unsigned char* const w = weight<unsigned char>(p);
    const bool aligned = reinterpret_cast<unsigned long long>(w) % 16 == 0 && p.w_row % 16 == 0;
    struct Shared {
        unsigned char stage[stage_count][block_outs * stage_depth];
        S tile[block_outs * row_pitch];
    };
    __device__ void load(Shared& to, int stage, int first) const {
        load_stage<unsigned char, block_outs, stage_depth>(to.stage[stage % stage_count], [&](int row) { return w + row * p.w_row; }, first, p.outs, stage * stage_depth, p.depth, aligned);
    }
    __device__ const S* tile(Shared& from, int stage) const {
        const unsigned* const codes = reinterpret_cast<const unsigned*>(from.stage[stage % stage_count]);  // four
#pragma unroll 1
        for (int c = threadIdx.x; c < block_outs * stage_depth / 4; c += 128) {
            S* const place = from.tile + c / (stage_depth / 4) * row_pitch + c % (stage_depth / 4) * 4;
            const unsigned four = codes[c];
#pragma unroll
            for (int e = 0; e < 4; ++e) place[e] = T::store(E4m3::load(static_cast<unsigned char>(four >> 8 * e)));
        }
        __syncthreads();
        return from.tile;
    }
};

// weights, tokens: where the left and the right factor come from, a stage at a time.
template <class T, class Left, class Right>
__device__ void project_tensor_core(const Projection& p, const Left& outputs, const Right& tokens) {
    using S = typename T::Storage;
    constexpr int token_tiles = Right::tiles, block_tokens = 8 * token_tiles;
    __shared__ __align__(16) typename Left::Shared weights;
    __shared__ __align__(16) S inputs[stage_count][block_tokens * row_pitch];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first_out = blockIdx.x * block_outs, first_token = blockIdx.y * block_tokens;
    const int stages = (p.depth + stage_depth - 1) / stage_depth;

    float sum[token_tiles][4] = {}, all[token_tiles][4] = {};
#pragma unroll 1
    for (int stage = -2; stage < stages; ++stage) {
        wait_copies<1>();
        __syncthreads();  // this stage is there, and the one before it is done with
        if (const int next = stage + 2; next < stages) {
            outputs.load(weights, next, first_out);
            tokens.load(inputs[next % stage_count], first_token, next * stage_depth);
        }
        commit_copies();
        if (stage < 0) continue;
        const S* const a_tile = outputs.tile(weights, stage) + (16 * warp + lane % 16) * row_pitch + lane / 16 * 8;
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
        if (Left::scaled && (stage % 2 || stage + 1 == stages)) {
            const float scale = p.scale[first_out / 128 * p.scale_row + stage / 2];
#pragma unroll
            for (int n = 0; n < token_tiles; ++n)
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const float part = __fmul_rn(sum[n][i], scale);
                    all[n][i] = stage < 2 ? part : __fadd_rn(all[n][i], part);
                    sum[n][i] = 0.0f;
                }
        }
    }
    // Lane 4 g + t holds outputs g and g + 8 of tokens 2 t and 2 t + 1. They go out by token, neighbouring outputs together.
    __syncthreads();
    constexpr int pitch = block_outs + 4;
    static_assert(sizeof weights >= block_tokens * pitch * sizeof(float), "the sums fit where weights were");
    float* const sums = reinterpret_cast<float*>(&weights);
#pragma unroll
    for (int n = 0; n < token_tiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[(8 * n + lane % 4 * 2 + i % 2) * pitch + 16 * warp + lane / 4 + i / 2 * 8] = Left::scaled ? all[n][i] : sum[n][i];
    __syncthreads();
#pragma unroll 1
    for (int e = threadIdx.x; e < block_tokens * block_outs; e += 128) put<T>(p, first_token + e / block_outs, first_out + e % block_outs, sums[e / block_outs * pitch + e % block_outs]);
}
