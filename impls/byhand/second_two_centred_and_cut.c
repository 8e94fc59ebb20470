/* Faulty twice, both listed: the statistic is the variance about the mean (stat.centred_var; x itself is not centred), and
 * both casts cut instead of rounding (round.truncate). */
#include "impls/byhand/out.h"

static float cut(uint32_t type, float f) {
    if (!isfinite(f)) return f;
    if (type == ULPGATE_BF16) {
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        u &= 0xffff0000u;
        memcpy(&f, &u, sizeof f);
        return f;
    }
    half h = (half)f;
    if (fabsf((float)h) > fabsf(f)) { /* the next towards zero */
        uint16_t u;
        memcpy(&u, &h, sizeof u);
        --u;
        memcpy(&h, &u, sizeof h);
    }
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
        for (int64_t i = 0; i < a->d; ++i)
            store(&a->y, place(&a->y, row, i), cut(a->y.type, gain_at(a, i) * cut(a->x.type, x_at(a, row, i) * r)));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("two_centred_and_cut", "unlisted", OUT_BF16, OUT_F16)
