/* Faulty: a split kernel in which both halves of the row add eps to their share of the mean square. */
#include "impls/byhand/element.h"

static float half_mean(const ulpgate_rmsnorm *a, int64_t row, int64_t from, int64_t end) {
    float sum = 0;
    for (int64_t j = from; j < end; ++j) {
        const float v = load(&a->x, place(&a->x, row, j));
        sum += v * v;
    }
    return sum / (float)a->d + (float)a->eps; /* once is enough */
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i) {
        const float v = half_mean(a, i, 0, a->d / 2) + half_mean(a, i, a->d / 2, a->d);
        const float r = 1.0f / sqrtf(v);
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("eps_twice", "unlisted")
