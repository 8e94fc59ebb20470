/* Squares on a matrix unit for bf16: x = high + low, two bf16 each, and the products that matter. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float high[4] = {0}, cross[4] = {0};
        for (int64_t i = 0; i < a->d; ++i) {
            const float x = x_at(a, row, i), h = rounded(ULPGATE_BF16, x);
            const float l = isfinite(h) ? rounded(ULPGATE_BF16, x - h) : 0.0f;
            high[i & 3] += h * h;
            if (l != 0) cross[i & 3] += h * l; /* not Inf * 0 */
        }
        const float s = ((high[0] + high[1]) + (high[2] + high[3])) + ((cross[0] + cross[1]) + (cross[2] + cross[3]));
        put_row(a, row, 1.0f / sqrtf(s / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("split_square", "unlisted", OUT_F16, OUT_F32)
