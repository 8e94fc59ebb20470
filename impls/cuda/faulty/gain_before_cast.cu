// The gain multiplies before the cast, under a claim of cast_first.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    const float r = reciprocal_rms(block_sum(thread_squares(in, d)), d, eps);
    for (int j = threadIdx.x; j < d; j += blockDim.x) out[j] = __float2bfloat16_rn(__fmul_rn(__fmul_rn(value(in[j]), r), value(w[j])));
}
