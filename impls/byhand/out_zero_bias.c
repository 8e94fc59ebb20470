/* A LayerNorm's last line with a bias of zero where there is none. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    const float bias = 0.0f;
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[4] = {0};
        for (int64_t i = 0; i < a->d; ++i) lane[i & 3] += x_at(a, row, i) * x_at(a, row, i);
        const float s = (lane[0] + lane[2]) + (lane[1] + lane[3]);
        const float r = 1.0f / sqrtf(s / (float)a->d + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) {
            const float n = rounded(a->x.type, x_at(a, row, i) * r);
            store(&a->y, place(&a->y, row, i), n * gain_at(a, i) + bias);
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("zero_bias", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
