/* Faulty: divides by d - 1, as an unbiased variance does. */
#include "impls/byhand/element.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < a->d; ++j) {
            const double v = (double)load(&a->x, place(&a->x, i, j));
            sum += v * v;
        }
        const float r = 1.0f / sqrtf((float)(sum / (double)(a->d > 1 ? a->d - 1 : 1)) + (float)a->eps);
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("bessel", "stat.wrong_divisor")
