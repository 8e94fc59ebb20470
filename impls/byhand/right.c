/* Right: the specification's RMSNorm in bf16, written plainly. */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

static float load(const uint16_t *p) {
    const uint32_t bits = (uint32_t)*p << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint16_t nearest(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (isnan(f)) return 0x7fc0;
    const uint32_t odd = bits >> 16 & 1;
    return (uint16_t)((bits + 0x7fff + odd) >> 16);
}

static int norm(const ulpgate_rmsnorm *a) {
    const uint16_t *weight = a->w.data;
    if (a->x.stride[1] != 1 || a->y.stride[1] != 1 || a->w.stride[0] != 1) return ULPGATE_REFUSED;
    for (int64_t row = 0; row < a->rows; ++row) {
        const uint16_t *x = (const uint16_t *)a->x.data + row * a->x.stride[0];
        uint16_t *y = (uint16_t *)a->y.data + row * a->y.stride[0];
        float squares = 0;
        for (int64_t i = 0; i < a->d; ++i) squares += load(x + i) * load(x + i);
        const float rrms = 1.0f / sqrtf(squares / (float)a->d + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) {
            const uint16_t n = nearest(load(x + i) * rrms);
            y[i] = nearest(load(weight + i) * load(&n));
        }
    }
    return ULPGATE_OK;
}

static const ulpgate_entry entry = {.size = sizeof entry, .contract = "bf16,cast_first", .rmsnorm = norm};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor d = {
        ULPGATE_HEAD, .name = "right", .version = "fault none", .entries = &entry, .entry_count = 1};
    return variant ? NULL : &d;
}
