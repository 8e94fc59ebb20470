/* rmsnorm.c: your RMSNorm kernel as ulpgate sees it.
 *
 *   build   cc -std=c99 -O2 -Wall -Wextra -shared -fPIC -o rmsnorm.so rmsnorm.c -lm
 *   gate    ulpgate gate ./rmsnorm.so
 *
 * ulpgate_kernel.h lies beside this file; nothing else is needed. It works as it stands: the specification's RMSNorm in
 * bf16, one thread. The lines marked "yours" are those to change. Your kernel may live in another file or library: link it.
 */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

static float widen(uint16_t h) { /* bf16 to float, exact */
    const uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint16_t narrow(float f) { /* float to bf16, to nearest, ties to even */
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return f != f ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void norm_row(const uint16_t *x, const uint16_t *w, uint16_t *y, int64_t d, float eps) {
    float sum = 0;
    for (int64_t j = 0; j < d; ++j) sum += widen(x[j]) * widen(x[j]);
    const float r = 1.0f / sqrtf(sum / (float)d + eps);
    for (int64_t j = 0; j < d; ++j) y[j] = narrow(widen(w[j]) * widen(narrow(widen(x[j]) * r)));
}

static int rmsnorm(const ulpgate_rmsnorm *a) {
    /* What your kernel cannot do: refuse, and write nothing. It counts as skipped, not as wrong. */
    if (a->x.stride[1] != 1 || a->y.stride[1] != 1 || a->w.stride[0] != 1) return ULPGATE_REFUSED; /* yours */
    for (int64_t row = 0; row < a->rows; ++row)
        norm_row((const uint16_t *)a->x.data + row * a->x.stride[0],            /* yours: x, row strides in elements */
                 (const uint16_t *)a->w.data,                                   /* yours: the gain */
                 (uint16_t *)a->y.data + row * a->y.stride[0],                  /* yours: y */
                 a->d, (float)a->eps);                                          /* yours */
    return ULPGATE_OK;
}

/* One entry a type and claim: add more, separated by commas. `ulpgate list contracts` shows every field of a claim. */
static const ulpgate_entry entries[] = {
    {.size = sizeof(ulpgate_entry),
     .contract = "bf16,cast_first", /* yours: T(w * T(x * r)); f32_gain: T(w * x * r); "bf16" alone: find out which */
     .rmsnorm = rmsnorm,
     .d_divisor = 1,                /* yours: d must be a multiple of this */
     .align = 0},                   /* yours: bytes at which every tensor must start; 0: any element */
};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor d = {
        ULPGATE_HEAD,
        .name = "rmsnorm", /* yours */
        .version = "0.1",  /* yours */
        .entry_count = sizeof entries / sizeof *entries,
        .entries = entries,
    };
    return variant ? NULL : &d; /* "rmsnorm.so@TEXT" arrives here as TEXT; NULL back: no such variant */
}
