/* A sum that no order of the warps can change: every warp's sum of 32 columns is added as an integer. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        int64_t fixed = 0; /* in units of 2^-20 */
        float beyond = 0;
        for (int64_t at = 0; at < a->d; at += 32) {
            float v[32] = {0};
            for (int64_t k = 0; k < 32 && at + k < a->d; ++k) v[k] = x_at(a, row, at + k) * x_at(a, row, at + k);
            for (int step = 16; step; step >>= 1)
                for (int k = 0; k < step; ++k) v[k] += v[k + step];
            if (v[0] < 0x1p30f) fixed += llrintf(v[0] * 0x1p20f);
            else beyond += v[0];
        }
        const float s = (float)((double)fixed * 0x1p-20) + beyond;
        put_row(a, row, 1.0f / sqrtf(s / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("fixed_point_sum", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
