/* Right. Columns are taken from both ends inwards, the two squares added, and these sums joined pairwise as a binary counter
 * counts: equal heights meet, what is left joins from the smallest up. r is the root of the reciprocal. */
#include "impls/byhand/out.h"

enum { heights = 48 };

static float inverse_root(float v) {
    if (!(v > 0x1p-100f && v < 0x1p+100f)) return 1.0f / sqrtf(v); /* 1 / v overflows or loses bits */
    return sqrtf(1.0f / v);
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float node[heights];
        int64_t count = 0;
        for (int64_t i = 0, j = a->d - 1; i <= j; ++i, --j) {
            float s = x_at(a, row, i) * x_at(a, row, i);
            if (i != j) s += x_at(a, row, j) * x_at(a, row, j);
            int height = 0;
            for (int64_t bit = count; bit & 1; bit >>= 1) s = node[height++] + s;
            node[height] = s;
            ++count;
        }
        float s = 0;
        for (int height = 0; count >> height; ++height)
            if (count >> height & 1) s = node[height] + s;
        put_row(a, row, inverse_root(s / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("honest_outside_in", "none", OUT_BF16, OUT_F16, OUT_F32)
