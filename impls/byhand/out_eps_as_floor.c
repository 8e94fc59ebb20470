/* Two accumulators of 4 lanes; eps keeps the mean square away from zero. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[2][4] = {{0}};
        for (int64_t i = 0; i < a->d; ++i) {
            const float x = x_at(a, row, i);
            lane[i >> 2 & 1][i & 3] = fmaf(x, x, lane[i >> 2 & 1][i & 3]);
        }
        float s = 0;
        for (int k = 0; k < 4; ++k) s += lane[0][k] + lane[1][k];
        const float m = s / (float)a->d, eps = (float)a->eps;
        put_row(a, row, 1.0f / sqrtf(m < eps ? eps : m));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("eps_as_floor", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
