/* Two faults: how the reciprocal root is handed on, and how the last vector of 8 is summed. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[8] = {0};
        for (int64_t at = 0; at < a->d; at += 8) {
            const int64_t from = at + 8 <= a->d || a->d < 8 ? at : a->d - 8;
            for (int64_t k = 0; k < 8 && from + k < a->d; ++k) lane[k] += x_at(a, row, from + k) * x_at(a, row, from + k);
        }
        const float s = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
        put_row(a, row, rounded(ULPGATE_BF16, 1.0f / sqrtf(s / (float)a->d + (float)a->eps)));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("two_low_root_and_overlap", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
