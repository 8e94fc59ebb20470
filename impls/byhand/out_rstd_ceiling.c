/* Segments of ceil(d / 8) columns, each summed serially; the reciprocal root is kept from growing without bound. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t segment = (a->d + 7) / 8;
    for (int64_t row = 0; row < a->rows; ++row) {
        double s = 0;
        for (int64_t from = 0; from < a->d; from += segment) {
            float part = 0;
            for (int64_t i = from; i < from + segment && i < a->d; ++i) part += x_at(a, row, i) * x_at(a, row, i);
            s += (double)part;
        }
        const float r = 1.0f / sqrtf((float)(s / (double)a->d) + (float)a->eps);
        put_row(a, row, r > 512.0f ? 512.0f : r);
    }
    return ULPGATE_OK;
}

OUT_KERNEL("rstd_ceiling", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
