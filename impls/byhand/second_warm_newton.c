/* Faulty, in no fault list: tokens that follow each other have nearly the same norm, so where v = m + eps is within a
 * sixteenth of the row's before, r is one Newton step from that row's r instead of a root: up to 1.5e-3 too small. The
 * first row of a call, and one whose norm differs more, are right. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t half_d = a->d / 2;
    float v_before = -1, r_before = 0; /* -1: none */
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[8] = {0};
        for (int64_t i = 0; i < a->d; ++i) { /* lanes 0-3: the first half of the row, 4-7 the second */
            const int64_t k = i < half_d ? i & 3 : 4 + ((i - half_d) & 3);
            lane[k] += x_at(a, row, i) * x_at(a, row, i);
        }
        const float first = (lane[0] + lane[2]) + (lane[1] + lane[3]), second = (lane[4] + lane[6]) + (lane[5] + lane[7]);
        const float v = (first + second) * (1.0f / (float)a->d) + (float)a->eps;
        const float r = fabsf(v - v_before) <= v_before * 0.0625f ? r_before * (1.5f - 0.5f * v * r_before * r_before)
                                                                  : 1.0f / sqrtf(v);
        put_row(a, row, r);
        v_before = v > 0 && isfinite(v) ? v : -1;
        r_before = r;
    }
    return ULPGATE_OK;
}

OUT_KERNEL("warm_newton", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
