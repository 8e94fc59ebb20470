/* Faulty, in no fault list: outputs are rounded and packed two to a word, and the bit that decides a tie, the last that
 * is kept, is taken from the even column for both. In odd columns ties go to even, or to odd, by what their neighbour
 * is. What is no tie is right, and so is the cast before the gain. */
#include "impls/byhand/out.h"

static uint32_t bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static void put_pair(const ulpgate_rmsnorm *a, int64_t row, int64_t column, float even, float odd) {
    const int64_t at = place(&a->y, row, column), beside = place(&a->y, row, column + 1);
    if (isnan(even) || isnan(odd)) {
        store(&a->y, at, even);
        store(&a->y, beside, odd);
        return;
    }
    const uint32_t nearest = 0x7fffu + (bits(even) >> 16 & 1);
    const uint32_t word = ((bits(even) + nearest) >> 16) | ((bits(odd) + nearest) & 0xffff0000u);
    ((uint16_t *)a->y.data)[at] = (uint16_t)word;
    ((uint16_t *)a->y.data)[beside] = (uint16_t)(word >> 16);
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float even[4] = {0}, odd[4] = {0};
        for (int64_t i = 0; i < a->d; ++i) {
            float *const l = (i & 1 ? odd : even) + (i >> 1 & 3);
            *l = fmaf(x_at(a, row, i), x_at(a, row, i), *l);
        }
        for (int k = 0; k < 4; ++k) even[k] += odd[k];
        const float r = 1.0f / sqrtf(((even[0] + even[1]) + (even[2] + even[3])) / (float)a->d + (float)a->eps);
        float y[2];
        for (int64_t i = 0; i < a->d; ++i) {
            y[i & 1] = gain_at(a, i) * rounded(ULPGATE_BF16, x_at(a, row, i) * r);
            if (i & 1) put_pair(a, row, i - 1, y[0], y[1]);
        }
        if (a->d & 1) store(&a->y, place(&a->y, row, a->d - 1), y[0]);
    }
    return ULPGATE_OK;
}

OUT_KERNEL("pair_parity", "unlisted", OUT_BF16)
