// The reciprocal root passes through bf16.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    const float r = reciprocal_rms(block_sum(thread_squares(in, d)), d, eps);
    write_row(in, w, out, d, value(__float2bfloat16_rn(r)));
}
