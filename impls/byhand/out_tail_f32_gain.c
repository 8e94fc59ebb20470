/* Whole blocks of 1024 columns by the block kernel; the columns after the last by a loop of its own. */
#include "impls/byhand/out.h"

enum { block = 1024 };

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t whole = a->d / block * block;
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[32] = {0};
        for (int64_t i = 0; i < a->d; ++i) lane[i & 31] += x_at(a, row, i) * x_at(a, row, i);
        for (int step = 16; step; step >>= 1)
            for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
        const float r = 1.0f / sqrtf(lane[0] / (float)a->d + (float)a->eps);
        for (int64_t i = 0; i < whole; ++i) put(a, row, i, rounded(a->x.type, x_at(a, row, i) * r));
        for (int64_t i = whole; i < a->d; ++i)
            store(&a->y, place(&a->y, row, i), x_at(a, row, i) * r * gain_at(a, i));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("tail_f32_gain", "unlisted", OUT_BF16, OUT_F16)
