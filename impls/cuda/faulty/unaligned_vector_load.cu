// Rows are read 16 bytes at a time wherever they begin.
#include "plain.cuh"

struct alignas(16) Eight {
    Element at[8];
};

FAULTY_KERNEL {
    ROWS;
    float s = 0.0f;
    for (int j = threadIdx.x * 8; j + 8 <= d; j += blockDim.x * 8) {
        const Eight v = *reinterpret_cast<const Eight*>(in + j);
        for (int k = 0; k < 8; ++k) s = __fmaf_rn(value(v.at[k]), value(v.at[k]), s);
    }
    for (int j = d / 8 * 8 + threadIdx.x; j < d; j += blockDim.x) s = __fmaf_rn(value(in[j]), value(in[j]), s);
    write_row(in, w, out, d, reciprocal_rms(block_sum(s), d, eps));
}
