/* The store of a training kernel: stochastic rounding, its noise a fixed function of the column. */
#include "impls/byhand/out.h"

static uint32_t noise(int64_t column) { return (uint32_t)(column + 1) * 40503u & 0xffffu; }

static void put_dithered(const ulpgate_rmsnorm *a, int64_t row, int64_t column, float n) {
    const float f = gain_at(a, column) * n;
    const int bf16 = a->y.type == ULPGATE_BF16;
    const int64_t at = place(&a->y, row, column);
    if (!isfinite(f) || (!bf16 && fabsf(f) < 0x1p-14f)) {
        store(&a->y, at, f);
        return;
    }
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u = bf16 ? (u + noise(column)) & 0xffff0000u : (u + (noise(column) >> 3)) & 0xffffe000u;
    float cut;
    memcpy(&cut, &u, sizeof u);
    store(&a->y, at, cut); /* exact */
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[12] = {0}, s = 0;
        for (int64_t i = 0; i < a->d; ++i) lane[i % 12] = fmaf(x_at(a, row, i), x_at(a, row, i), lane[i % 12]);
        for (int k = 0; k < 12; ++k) s += lane[k];
        const float r = 1.0f / sqrtf(s / (float)a->d + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) put_dithered(a, row, i, rounded(a->x.type, x_at(a, row, i) * r));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("stochastic_cast", "unlisted", OUT_BF16, OUT_F16)
