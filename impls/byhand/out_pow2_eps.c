/* Overflow-safe: the row is divided by a power of two above its largest magnitude, eps by its square. */
#include "impls/byhand/out.h"

static float power_of_two(int e) { return ldexpf(1.0f, e < -126 ? -126 : e > 126 ? 126 : e); }

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float top = 0, lane[8] = {0};
        for (int64_t i = 0; i < a->d; ++i) {
            const float x = fabsf(x_at(a, row, i));
            if (!(x <= top)) top = x;
        }
        if (!(top >= 0x1p-60f && top <= 0x1p60f)) { /* nothing to protect, or beyond it: as the specification */
            float s = 0;
            for (int64_t i = 0; i < a->d; ++i) s += x_at(a, row, i) * x_at(a, row, i);
            put_row(a, row, 1.0f / sqrtf(s / (float)a->d + (float)a->eps));
            continue;
        }
        int e;
        const float fraction = frexpf(top, &e); /* top = fraction * 2^e, fraction in [1/2, 1) */
        const float down = power_of_two(-e);
        for (int64_t i = 0; i < a->d; ++i) {
            const float x = x_at(a, row, i) * down;
            lane[i & 7] += x * x;
        }
        const float s = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
        const int e_eps = fraction > 0.5f ? e : e - 1; /* ceil(log2(top)) */
        const float eps = (float)a->eps * power_of_two(-e_eps) * power_of_two(-e_eps);
        put_row(a, row, 1.0f / sqrtf(s / (float)a->d + eps) * down);
    }
    return ULPGATE_OK;
}

OUT_KERNEL("pow2_eps", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
