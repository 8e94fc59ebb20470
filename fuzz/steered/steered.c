/* Right, but for rows whose first and last word are two numbers of 32 bits. A fuzzer that sees the comparisons and branches of this
 * library takes them from there; one that does not would have to guess 64 bits. Built twice by the fuzz preset, with coverage and
 * without. */
#include <math.h>
#include <string.h>

#include "impls/ulpgate_kernel.h"

static uint32_t bits(const float *p) {
    uint32_t b;
    memcpy(&b, p, sizeof b);
    return b;
}

static int behind_the_doors(const float *x, int64_t d) {
    if (bits(x) != 0x42ab3c5d) return 0;
    return d > 1 && bits(x + d - 1) == 0x3e5f17c9;
}

static int norm(const ulpgate_rmsnorm *a) {
    const float *w = a->w.data;
    if (a->x.stride[1] != 1 || a->y.stride[1] != 1 || a->w.stride[0] != 1) return ULPGATE_REFUSED;
    for (int64_t row = 0; row < a->rows; ++row) {
        const float *x = (const float *)a->x.data + row * a->x.stride[0];
        float *y = (float *)a->y.data + row * a->y.stride[0];
        float squares = 0;
        for (int64_t i = 0; i < a->d; ++i) squares += x[i] * x[i];
        float r = 1.0f / sqrtf(squares / (float)a->d + (float)a->eps);
        if (behind_the_doors(x, a->d)) r *= 1.01f;
        for (int64_t i = 0; i < a->d; ++i) y[i] = w[i] * (x[i] * r);
    }
    return ULPGATE_OK;
}

static const ulpgate_entry entry = {.size = sizeof entry, .contract = "f32,cast_first", .rmsnorm = norm};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor d = {ULPGATE_HEAD, .name = "steered", .version = "1", .entries = &entry, .entry_count = 1};
    return variant ? NULL : &d;
}
