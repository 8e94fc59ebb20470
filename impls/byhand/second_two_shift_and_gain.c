/* Faulty twice, both listed: the mean is taken by a shift, over the next power of two of columns (stat.wrong_divisor: 2048
 * for 1536, 8192 for 7168, right at 512), and the gain is multiplied before the one cast (order.gain_then_cast, (x r) w). */
#include "impls/byhand/out.h"

enum { lanes = 20 };

static int norm(const ulpgate_rmsnorm *a) {
    int shift = 0;
    while ((int64_t)1 << shift < a->d) ++shift;
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[lanes] = {0}, s = 0;
        for (int64_t i = 0; i < a->d; ++i) lane[i % lanes] += x_at(a, row, i) * x_at(a, row, i);
        for (int k = lanes; k-- > 0;) s += lane[k];
        const float r = 1.0f / sqrtf(ldexpf(s, -shift) + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) store(&a->y, place(&a->y, row, i), x_at(a, row, i) * r * gain_at(a, i));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("two_shift_and_gain", "unlisted", OUT_BF16, OUT_F16)
