/* The sum of squares as scale^2 * ssq, the scale the largest magnitude so far: no overflow on the way. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        double scale = 0, ssq = 1;
        for (int64_t i = 0; i < a->d; ++i) {
            const double x = fabs((double)x_at(a, row, i));
            if (!(x > 0)) {
                if (x != x) ssq = x;
                continue;
            }
            if (scale < x) {
                const double ratio = scale / x;
                ssq = 1 + ssq * ratio;
                scale = x;
            } else {
                const double ratio = x == scale ? 1 : x / scale; /* Inf / Inf too */
                ssq += ratio * ratio;
            }
        }
        const float s = (float)(scale * scale * ssq);
        put_row(a, row, 1.0f / sqrtf(s / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("lassq_ratio", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
