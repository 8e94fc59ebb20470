/* Faulty: the reciprocal root as exp2(-log2(v) / 2) in float, as a device without a root would do it. The
 * logarithm's rounding is absolute: the error of r grows with |log2 v|, to tens of ulps. */
#include "impls/byhand/element.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i) {
        float sum = 0;
        for (int64_t j = 0; j < a->d; ++j) {
            const float v = load(&a->x, place(&a->x, i, j));
            sum += v * v;
        }
        const float l = log2f(sum / (float)a->d + (float)a->eps);
        const float r = exp2f(-0.5f * rounded(ULPGATE_F32, l));
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("exp_log_root", "unlisted")
