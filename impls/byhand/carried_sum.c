/* Faulty: the accumulators of the inner loop are declared outside the loop over rows and cleared only at the
 * start, so that each row's sum holds those of all rows before it. A test with one row sees nothing. */
#include "impls/byhand/element.h"

static int norm(const ulpgate_rmsnorm *a) {
    float lane[4] = {0}; /* belongs inside the loop */
    for (int64_t i = 0; i < a->rows; ++i) {
        for (int64_t j = 0; j < a->d; ++j) {
            const float v = load(&a->x, place(&a->x, i, j));
            lane[j % 4] += v * v;
        }
        const float sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
        const float r = 1.0f / sqrtf(sum / (float)a->d + (float)a->eps);
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("carried_sum", "unlisted")
