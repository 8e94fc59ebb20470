/* Faulty twice: eps is added to the root, and the mean is over the width of the fused projection. */
#include "impls/byhand/element.h"

enum { fused = 2112 };

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i) {
        float lane[8] = {0};
        for (int64_t j = 0; j < a->d; ++j) {
            const float v = load(&a->x, place(&a->x, i, j));
            lane[j % 8] += v * v;
        }
        for (int k = 1; k < 8; ++k) lane[0] += lane[k];
        const float r = 1.0f / (sqrtf(lane[0] * (1.0f / fused)) + (float)a->eps);
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("two_faults", "eps.outside+stat.wrong_divisor")
