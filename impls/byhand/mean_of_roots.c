/* Faulty: each of four lanes takes the root of its own mean square, and the four are averaged: the root of a
 * mean was taken for the mean of roots. On rows of equal spread the two hardly differ. */
#include "impls/byhand/element.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i) {
        float rms = 0;
        for (int lane = 0; lane < 4; ++lane) {
            float sum = 0, count = 0;
            for (int64_t j = lane; j < a->d; j += 4, ++count) {
                const float v = load(&a->x, place(&a->x, i, j));
                sum += v * v;
            }
            rms += count > 0 ? sqrtf(sum / count + (float)a->eps) : sqrtf((float)a->eps);
        }
        const float r = 4.0f / rms;
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("mean_of_roots", "unlisted")
