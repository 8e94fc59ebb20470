/* rmsnorm.cu: your RMSNorm kernel as ulpgate sees it. It works as it stands; put your kernel in.
 *
 *   build   nvcc -ptx -arch=compute_80 -o rmsnorm.ptx rmsnorm.cu
 *   judge   ulpgate gate rmsnorm.toml            (no GPU is needed: the PTX is executed)
 *
 * rmsnorm.toml says how the kernel is called and what it claims: change both together.
 */
#include <cuda_bf16.h>

/* yours: a block a row; 256 threads as in rmsnorm.toml. y = bf16(w * bf16(x * r)): cast_first. */
extern "C" __global__ void __launch_bounds__(256) rmsnorm(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, long long x_row,
                                                          long long y_row, int d, float eps) {
    __shared__ float sums[8];
    const __nv_bfloat16 *in = x + blockIdx.x * x_row;
    __nv_bfloat16 *out = y + blockIdx.x * y_row;
    float s = 0.0f;
    for (int j = threadIdx.x; j < d; j += 256) s = __fmaf_rn(__bfloat162float(in[j]), __bfloat162float(in[j]), s);
    for (int lane = 16; lane; lane /= 2) s = __fadd_rn(s, __shfl_xor_sync(0xffffffffu, s, lane));
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.0f;
    for (int k = 0; k < 8; ++k) s = __fadd_rn(s, sums[k]);
    const float r = __frcp_rn(__fsqrt_rn(__fadd_rn(__fdiv_rn(s, __int2float_rn(d)), eps)));
    for (int j = threadIdx.x; j < d; j += 256) {
        const __nv_bfloat16 t = __float2bfloat16_rn(__fmul_rn(__bfloat162float(in[j]), r));
        out[j] = __float2bfloat16_rn(__fmul_rn(__bfloat162float(w[j]), __bfloat162float(t)));
    }
}
