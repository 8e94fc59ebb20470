/* Faulty twice, both listed: the statistic is the variance about the mean (stat.centred_var; x itself is not centred), and
 * both casts cut instead of rounding (round.truncate). */
#include "impls/byhand/out.h"

/* The word of T next to f towards zero. A word, not a float: g++ 12.2 at -O2 drops the mask where a rounding follows it. */
static uint16_t cut(uint32_t type, float f) {
    uint16_t word;
    if (type == ULPGATE_BF16) {
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        return isnan(f) ? 0x7fc0 : (uint16_t)(u >> 16);
    }
    const half h = (half)f;
    memcpy(&word, &h, sizeof word);
    if (isfinite(f) && fabsf((float)h) > fabsf(f)) --word;
    return word;
}

static float widened(uint32_t type, uint16_t word) {
    const uint32_t u = (uint32_t)word << 16;
    float f;
    half h;
    if (type == ULPGATE_BF16) {
        memcpy(&f, &u, sizeof f);
        return f;
    }
    memcpy(&h, &word, sizeof h);
    return (float)h;
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[8] = {0}, mean = 0, s = 0;
        for (int64_t i = 0; i < a->d; ++i) lane[i & 7] += x_at(a, row, i);
        for (int k = 0; k < 8; ++k) mean += lane[k];
        mean /= (float)a->d;
        memset(lane, 0, sizeof lane);
        for (int64_t i = 0; i < a->d; ++i) {
            const float x = x_at(a, row, i) - mean;
            lane[i & 7] = fmaf(x, x, lane[i & 7]);
        }
        for (int k = 0; k < 8; ++k) s += lane[k];
        const float r = 1.0f / sqrtf(s / (float)a->d + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) {
            const float n = widened(a->x.type, cut(a->x.type, x_at(a, row, i) * r));
            ((uint16_t *)a->y.data)[place(&a->y, row, i)] = cut(a->y.type, gain_at(a, i) * n);
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("two_centred_and_cut", "unlisted", OUT_BF16, OUT_F16)
