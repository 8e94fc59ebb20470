// A projection without tensor cores, for f32 and for e4m3 weights with a scale a block: a warp an output of one token. Lane l
// takes columns l, l + 32, ... by fused multiply-add; the 32 partial sums are joined by a halving shuffle (16, 8, 4, 2, 1).
#pragma once
#include "../rmsnorm/rmsnorm.cuh"
#include "e4m3.cuh"
#include "projection.cuh"

template <class T, class W, bool scaled>
__device__ void project_simt(const Projection& p) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const int out = blockIdx.x * warps + threadIdx.x / 32;
    if (out >= p.outs) return;  // the whole warp
    const auto* w = weight<typename W::Storage>(p) + out * p.w_row;
    const float* scale = scaled ? p.scale + out / 128 * p.scale_row : nullptr;
#pragma unroll 1
    for (int token = blockIdx.y; token < p.all_tokens; token += gridDim.y) {
        const auto* x = input<typename T::Storage>(p) + token_at(p, token);
        float sum = 0.0f;
#pragma unroll 1
        for (int k = lane; k < p.depth; k += 32) {
            float v = W::load(w[k]);
            if (scaled) v = __fmul_rn(v, scale[k / 128]);
            sum = __fmaf_rn(T::load(x[k]), v, sum);
        }
        sum = warp_sum(sum);
        if (lane == 0) put<T>(p, token, out, sum);
    }
}
