// Plain operators, compiled with -use_fast_math: subnormals are flushed, the division and the root are approximate.
#include "plain.cuh"

extern "C" __global__ void __launch_bounds__(1024) rms_norm(const float* x, const float* w, float* y, long long x_row, long long y_row, int d, float eps) {
    const float* in = x + blockIdx.x * x_row;
    float* out = y + blockIdx.x * y_row;
    float s = 0.0f;
    for (int j = threadIdx.x; j < d; j += blockDim.x) s += in[j] * in[j];
    const float r = rsqrtf(block_sum(s) / d + eps);
    for (int j = threadIdx.x; j < d; j += blockDim.x) out[j] = w[j] * (in[j] * r);
}
