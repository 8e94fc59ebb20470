/* Right. Six ranks, each with a run of columns side by side which it sums from the last to the first in three accumulators of
 * fused multiply-adds; the partial sums travel once round a ring that starts at rank 4. The mean is a multiplication with
 * the reciprocal of d, the root is taken in double and rounded once. */
#include "impls/byhand/out.h"

enum { ranks = 6, first = 4 };

static float partial(const ulpgate_rmsnorm *a, int64_t row, int64_t from, int64_t end) {
    float part[3] = {0};
    for (int64_t i = end; i-- > from;) part[i % 3] = fmaf(x_at(a, row, i), x_at(a, row, i), part[i % 3]);
    return part[2] + (part[1] + part[0]);
}

static int norm(const ulpgate_rmsnorm *a) {
    const float inverse_d = 1.0f / (float)a->d;
    for (int64_t row = 0; row < a->rows; ++row) {
        float s = 0;
        for (int step = 0; step < ranks; ++step) {
            const int rank = (first + step) % ranks;
            s += partial(a, row, a->d * rank / ranks, a->d * (rank + 1) / ranks);
        }
        const float v = s * inverse_d + (float)a->eps;
        put_row(a, row, (float)(1.0 / sqrt((double)v)));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("honest_ring", "none", OUT_BF16, OUT_F16, OUT_F32)
