// The last shuffles name the lower half of the warp, and the whole warp executes them.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    float s = thread_squares(in, d);
    s = __fadd_rn(s, __shfl_xor_sync(0xffffffffu, s, 16));
    for (int lane = 8; lane; lane /= 2) s = __fadd_rn(s, __shfl_xor_sync(0x0000ffffu, s, lane));
    __shared__ float sums[32];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    s = warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? sums[threadIdx.x % 32] : 0.0f);
    write_row(in, w, out, d, reciprocal_rms(s, d, eps));
}
