/* Faulty, in no fault list: the multiplication runs in bf16, and lest r lose bits it is split, r = high + low, two bf16
 * each. n = T(T(x * high) + T(x * low)): three roundings where the specification has one. r is right. */
#include "impls/byhand/out.h"

enum { warps = 6 };

static float bf16(float f) { return rounded(ULPGATE_BF16, f); }

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float warp[warps] = {0};
        for (int64_t at = 0; at < a->d; at += 16) { /* a tree in each vector of 16, then its warp's sum */
            float v[16] = {0};
            for (int64_t k = 0; k < 16 && at + k < a->d; ++k) v[k] = x_at(a, row, at + k) * x_at(a, row, at + k);
            for (int step = 1; step < 16; step *= 2)
                for (int k = 0; k < 16; k += 2 * step) v[k] += v[k + step];
            warp[at / 16 % warps] += v[0];
        }
        const float s = ((warp[0] + warp[3]) + (warp[1] + warp[4])) + (warp[2] + warp[5]);
        const float r = 1.0f / sqrtf(s / (float)a->d + (float)a->eps);
        const float high = bf16(r), low = isfinite(high) ? bf16(r - high) : 0.0f;
        for (int64_t i = 0; i < a->d; ++i) {
            const float x = x_at(a, row, i), most = bf16(x * high), rest = bf16(x * low);
            put(a, row, i, isinf(most) ? most : bf16(most + rest));
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("split_scale", "unlisted", OUT_BF16)
