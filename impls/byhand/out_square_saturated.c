/* Squares saturate where they would in half precision; the sum is in single. */
#include "impls/byhand/out.h"

static float square(float x) {
    const float q = x * x;
    return q > 65504.0f ? 65504.0f : q;
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[16] = {0};
        for (int64_t i = 0; i < a->d; ++i) lane[i & 15] += square(x_at(a, row, i));
        for (int step = 8; step; step >>= 1)
            for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
        put_row(a, row, 1.0f / sqrtf(lane[0] / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("square_saturated", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
