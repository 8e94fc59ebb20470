// The last warp adds 32 sums, of which the block's warps have written 8.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    __shared__ float sums[32];
    float s = warp_sum(thread_squares(in, d));
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    s = warp_sum(sums[threadIdx.x % 32]);
    write_row(in, w, out, d, reciprocal_rms(s, d, eps));
}
