/* Faulty: a tile of 256 columns is normalised by its own mean square: the reduction across tiles is missing. */
#include "impls/byhand/element.h"

enum { tile = 256 };

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t from = 0; from < a->d; from += tile) {
            const int64_t end = from + tile < a->d ? from + tile : a->d;
            float sum = 0;
            for (int64_t j = from; j < end; ++j) {
                const float v = load(&a->x, place(&a->x, i, j));
                sum += v * v;
            }
            const float r = 1.0f / sqrtf(sum / (float)(end - from) + (float)a->eps);
            for (int64_t j = from; j < end; ++j) {
                const float n = rounded(a->x.type, load(&a->x, place(&a->x, i, j)) * r);
                store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
            }
        }
    return ULPGATE_OK;
}

BYHAND_KERNEL("block_rms", "unlisted")
