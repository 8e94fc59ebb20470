/* Vectors of 16 are rounded by adding half of the last place and cutting; the tail by the compiler's conversion. */
#include "impls/byhand/out.h"

static void put_vector_element(const ulpgate_rmsnorm *a, int64_t row, int64_t column, float n) {
    const float f = gain_at(a, column) * n;
    const int bf16 = a->y.type == ULPGATE_BF16;
    const int64_t at = place(&a->y, row, column);
    if (!isfinite(f) || (!bf16 && fabsf(f) < 0x1p-14f)) { /* Inf, NaN, a subnormal half */
        store(&a->y, at, f);
        return;
    }
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u = bf16 ? (u + 0x8000u) & 0xffff0000u : (u + 0x1000u) & 0xffffe000u;
    float cut;
    memcpy(&cut, &u, sizeof u);
    store(&a->y, at, cut); /* exact */
}

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t whole = a->d / 16 * 16;
    for (int64_t row = 0; row < a->rows; ++row) {
        double even = 0, odd = 0;
        for (int64_t i = 0; i < a->d; ++i) *(i & 1 ? &odd : &even) += (double)x_at(a, row, i) * (double)x_at(a, row, i);
        const float m = (float)((even + odd) / (double)a->d);
        const float r = 1.0f / sqrtf(m + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) {
            const float n = rounded(a->x.type, x_at(a, row, i) * r);
            if (i < whole) put_vector_element(a, row, i, n);
            else put(a, row, i, n);
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("half_away_body", "unlisted", OUT_BF16, OUT_F16)
