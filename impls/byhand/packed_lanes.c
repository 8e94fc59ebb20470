/* Faulty: two vectors of eight are packed to sixteen by an instruction that works within 128-bit halves, and
 * the permutation that puts the quarters back in order is missing: columns 4-7 and 8-11 of sixteen change places. */
#include "impls/byhand/element.h"

static int64_t packed(int64_t j, int64_t d) {
    const int64_t block = j / 16 * 16, k = j % 16;
    if (block + 16 > d) return j; /* the scalar tail is right */
    return block + (k < 4 || k > 11 ? k : k < 8 ? k + 4 : k - 4);
}

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
            store(&a->y, place(&a->y, i, packed(j, a->d)), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("packed_lanes", "unlisted")
