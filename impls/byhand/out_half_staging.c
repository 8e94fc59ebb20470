/* The row is staged in half precision between the pass that sums it and the pass that writes it. */
#include "impls/byhand/out.h"

enum { columns = 256 };

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        double part[4] = {0};
        for (int64_t i = 0; i < a->d; ++i) part[i & 3] += (double)x_at(a, row, i) * (double)x_at(a, row, i);
        const float s = (float)((part[0] + part[1]) + (part[2] + part[3]));
        const float r = 1.0f / sqrtf(s * (1.0f / (float)a->d) + (float)a->eps);
        for (int64_t at = 0; at < a->d; at += columns) {
            half stage[columns];
            const int64_t n = a->d - at < columns ? a->d - at : columns;
            for (int64_t k = 0; k < n; ++k) stage[k] = (half)x_at(a, row, at + k);
            for (int64_t k = 0; k < n; ++k) put(a, row, at + k, rounded(a->x.type, (float)stage[k] * r));
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("half_staging", "unlisted", OUT_BF16)
