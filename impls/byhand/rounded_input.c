/* Faulty: x is kept in fp8 (e4m3 without saturation of subnormals) between the two passes to save shared memory:
 * the statistic is exact, what is normalised has four significand bits. */
#include "impls/byhand/element.h"

static float four_bits(float f) {
    if (f == 0 || !isfinite(f)) return f;
    int e;
    const float m = frexpf(f, &e);
    return ldexpf(rintf(m * 16), e - 4);
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
            const float n = rounded(a->x.type, four_bits(load(&a->x, place(&a->x, i, j))) * r);
            store(&a->y, place(&a->y, i, j), load(&a->w, j * a->w.stride[0]) * n);
        }
    }
    return ULPGATE_OK;
}

BYHAND_KERNEL("rounded_input", "unlisted")
