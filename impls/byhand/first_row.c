/* Faulty: r is hoisted out of the loop over the rows of a block of four: all four use the first one's. */
#include "impls/byhand/element.h"

static int norm(const ulpgate_rmsnorm *a) {
    float r = 0;
    for (int64_t i = 0; i < a->rows; ++i) {
        if (i % 4 == 0) {
            float sum = 0;
            for (int64_t j = 0; j < a->d; ++j) {
                const float v = load(&a->x, place(&a->x, i, j));
                sum += v * v;
            }
            r = 1.0f / sqrtf(sum / (float)a->d + (float)a->eps);
        }
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("first_row", "unlisted")
