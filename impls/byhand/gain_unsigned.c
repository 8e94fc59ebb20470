/* Faulty: the gain passes through a log-domain table and loses its sign. Trained gains are nearly all positive. */
#include "impls/byhand/element.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i) {
        float sum = 0;
        for (int64_t j = 0; j < a->d; ++j) {
            const float v = load(&a->x, place(&a->x, i, j));
            sum += v * v;
        }
        const float r = 1.0f / sqrtf(sum / (float)a->d + (float)a->eps);
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), fabsf(load(&a->w, j * a->w.stride[0])) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("gain_unsigned", "unlisted")
