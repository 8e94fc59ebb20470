// What the faulty kernels share: a right bf16 norm in pieces, cast_first, a block a row. Each fault is one changed piece.
#pragma once
#include <cuda_bf16.h>

using Element = __nv_bfloat16;

__device__ inline float value(Element v) { return __bfloat162float(v); }

__device__ inline float warp_sum(float v) {
    for (int lane = 16; lane; lane /= 2) v = __fadd_rn(v, __shfl_xor_sync(0xffffffffu, v, lane));
    return v;
}
__device__ inline float thread_squares(const Element* x, int d) {
    float s = 0.0f;
    for (int j = threadIdx.x; j < d; j += blockDim.x) s = __fmaf_rn(value(x[j]), value(x[j]), s);
    return s;
}
// blockDim.x a multiple of 32.
__device__ inline float block_sum(float v) {
    __shared__ float sums[32];
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? sums[threadIdx.x % 32] : 0.0f);
}
__device__ inline float reciprocal_rms(float sum, int d, float eps) {
    return __frcp_rn(__fsqrt_rn(__fadd_rn(__fdiv_rn(sum, __int2float_rn(d)), eps)));
}
__device__ inline Element output(Element x, Element w, float r) {
    return __float2bfloat16_rn(__fmul_rn(value(w), value(__float2bfloat16_rn(__fmul_rn(value(x), r)))));
}
__device__ inline void write_row(const Element* x, const Element* w, Element* y, int d, float r) {
    for (int j = threadIdx.x; j < d; j += blockDim.x) y[j] = output(x[j], w[j], r);
}
#define FAULTY_KERNEL extern "C" __global__ void __launch_bounds__(1024) rms_norm(const Element* x, const Element* w, Element* y, long long x_row, long long y_row, int d, float eps)
#define ROWS const Element* in = x + blockIdx.x * x_row; Element* out = y + blockIdx.x * y_row
