// What vLLM's fused_add_rms_norm computes (csrc/layernorm_kernels.cu, the path without vectors), restated: the sum with the
// residual in bf16 and kept, its mean square in f32 by a block's sum, then T(z * r) times the gain in T. In place, as there.
#include <cuda_bf16.h>

extern "C" __global__ void fused_add_rms_norm(__nv_bfloat16* x, long long x_row, __nv_bfloat16* residual, const __nv_bfloat16* w, float eps, int d) {
    __shared__ float sums[32], root;
    __nv_bfloat16* in = x + blockIdx.x * x_row;
    __nv_bfloat16* kept = residual + static_cast<long long>(blockIdx.x) * d;
    float v = 0.0f;
    for (int i = threadIdx.x; i < d; i += blockDim.x) {
        const __nv_bfloat16 z = in[i] + kept[i];
        const float f = __bfloat162float(z);
        v += f * f;
        kept[i] = z;
    }
    for (int k = 16; k; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0.0f;
        for (int k = 16; k; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
        if (threadIdx.x == 0) root = rsqrtf(v / d + eps);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < d; i += blockDim.x) in[i] = __float2bfloat16(__bfloat162float(kept[i]) * root) * w[i];
}
