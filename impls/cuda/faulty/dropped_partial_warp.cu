// The warps are counted as blockDim.x / 32: where the block ends in a part of one, its columns are left out of the sum.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    __shared__ float part[1024], total;
    part[threadIdx.x] = thread_squares(in, d);
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int k = 0; k < static_cast<int>(blockDim.x / 32 * 32); ++k) s = __fadd_rn(s, part[k]);
        total = s;
    }
    __syncthreads();
    write_row(in, w, out, d, reciprocal_rms(total, d, eps));
}
