/* Faulty, in no fault list: the cast before the gain is made by adding and taking away a large constant, which is faster
 * than a conversion and rounds to a multiple of 2^-7 (bf16) or 2^-10 (fp16). That is T's spacing from 1 to 2; smaller
 * elements lose bits (and -0 its sign), larger ones keep too many. Absolute errors stay below a tolerance of 1e-2. */
#include "impls/byhand/out.h"

static float cast(uint32_t type, float n) {
    const float magic = type == ULPGATE_BF16 ? 0x1.8p+16f : 0x1.8p+13f;
    const float up = n + magic;
    return up - magic;
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        double lane[2] = {0};
        for (int64_t at = 0; at < a->d; at += 8) { /* vectors of 8 take turns */
            float v = 0;
            for (int64_t i = at; i < at + 8 && i < a->d; ++i) v = fmaf(x_at(a, row, i), x_at(a, row, i), v);
            lane[at >> 3 & 1] += (double)v;
        }
        const float r = 1.0f / sqrtf((float)((lane[0] + lane[1]) / (double)a->d) + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) put(a, row, i, cast(a->x.type, x_at(a, row, i) * r));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("magic_cast", "unlisted", OUT_BF16, OUT_F16)
