/* Faulty, in no fault list: the rms is stored for the backward pass in the type of x, read back, and r is the float
 * reciprocal of that: r = 1 / T(sqrt(m + eps)). r itself is on no coarse grid. */
#include "impls/byhand/out.h"

enum { rows_of_lanes = 3 };

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[rows_of_lanes][4] = {{0}};
        for (int64_t i = a->d; i-- > 0;) { /* last column first */
            float *const l = &lane[i / 4 % rows_of_lanes][i & 3];
            *l = fmaf(x_at(a, row, i), x_at(a, row, i), *l);
        }
        float s = 0;
        for (int k = 0; k < 4; ++k) s += (lane[0][k] + lane[1][k]) + lane[2][k];
        const float rms = rounded(a->x.type, sqrtf(s / (float)a->d + (float)a->eps));
        put_row(a, row, 1.0f / rms);
    }
    return ULPGATE_OK;
}

OUT_KERNEL("stored_rms", "unlisted", OUT_BF16, OUT_F16)
