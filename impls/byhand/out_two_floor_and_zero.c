/* Two faults: where eps enters, and the end of a LayerNorm. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        double s = 0;
        for (int64_t i = 0; i < a->d; ++i) s += (double)x_at(a, row, i) * (double)x_at(a, row, i);
        const float m = (float)(s / (double)a->d), eps = (float)a->eps;
        const float r = 1.0f / sqrtf(m < eps ? eps : m);
        for (int64_t i = 0; i < a->d; ++i) {
            const float n = rounded(a->x.type, x_at(a, row, i) * r);
            store(&a->y, place(&a->y, row, i), n * gain_at(a, i) + 0.0f);
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("two_floor_and_zero", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
