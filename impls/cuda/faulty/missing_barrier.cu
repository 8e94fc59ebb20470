// No barrier between the warps' sums and their reader.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    __shared__ float sums[32];
    float s = warp_sum(thread_squares(in, d));
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    s = warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? sums[threadIdx.x % 32] : 0.0f);
    write_row(in, w, out, d, reciprocal_rms(s, d, eps));
}
