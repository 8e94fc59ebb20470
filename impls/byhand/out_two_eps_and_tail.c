/* Two faults, each well known alone. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t summed = a->d < 8 ? a->d : a->d / 8 * 8;
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[8] = {0};
        for (int64_t i = 0; i < summed; ++i) lane[i & 7] += x_at(a, row, i) * x_at(a, row, i);
        for (int step = 4; step; step >>= 1)
            for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
        put_row(a, row, 1.0f / (sqrtf(lane[0] / (float)a->d) + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("two_eps_and_tail", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
