/* The gain in f32 and one rounding, as many libraries do it. It claims no order: `gate` finds which contract it
 * keeps. */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

static float up(uint16_t h) {
    union { uint32_t u; float f; } v = {(uint32_t)h << 16};
    return v.f;
}

static uint16_t down(float f) {
    union { float f; uint32_t u; } v = {f};
    return isnan(f) ? 0x7fc0 : (uint16_t)((v.u + 0x7fff + (v.u >> 16 & 1)) >> 16);
}

static int rms_norm(const ulpgate_rmsnorm *a) {
    if (a->x.stride[1] != 1 || a->y.stride[1] != 1 || a->w.stride[0] != 1) return ULPGATE_REFUSED;
    const uint16_t *x = a->x.data, *w = a->w.data;
    uint16_t *y = a->y.data;
    for (int64_t t = 0; t < a->rows; ++t, x += a->x.stride[0], y += a->y.stride[0]) {
        float ss = 0;
        for (int64_t k = 0; k < a->d; ++k) ss += up(x[k]) * up(x[k]);
        const float s = 1.0f / sqrtf(ss / (float)a->d + (float)a->eps);
        for (int64_t k = 0; k < a->d; ++k) y[k] = down(up(x[k]) * s * up(w[k]));
    }
    return ULPGATE_OK;
}

static const ulpgate_entry entry = {.size = sizeof entry, .contract = "bf16", .rmsnorm = rms_norm};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor d = {
        ULPGATE_HEAD, .name = "f32_gain", .version = "fault none", .entries = &entry, .entry_count = 1};
    return variant ? NULL : &d;
}
