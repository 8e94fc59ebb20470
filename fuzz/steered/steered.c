/* A right kernel with a branch that shows in no output: the sign of the first column. Built twice by the fuzz preset, with coverage
 * and without: see steered_test.sh. */
#include <math.h>

#include "impls/ulpgate_kernel.h"

static int norm(const ulpgate_rmsnorm *a) {
    const float *w = a->w.data;
    if (a->x.stride[1] != 1 || a->y.stride[1] != 1 || a->w.stride[0] != 1) return ULPGATE_REFUSED;
    for (int64_t row = 0; row < a->rows; ++row) {
        const float *x = (const float *)a->x.data + row * a->x.stride[0];
        float *y = (float *)a->y.data + row * a->y.stride[0];
        float squares = 0;
        for (int64_t i = 0; i < a->d; ++i) squares += x[i] * x[i];
        const float r = 1.0f / sqrtf(squares / (float)a->d + (float)a->eps);
        static volatile int begins_below, begins_above;
        if (x[0] < 0) begins_below += 3;
        else begins_above ^= 5;
        for (int64_t i = 0; i < a->d; ++i) y[i] = w[i] * (x[i] * r);
    }
    return ULPGATE_OK;
}

static const ulpgate_entry entry = {.size = sizeof entry, .contract = "f32,cast_first", .rmsnorm = norm};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor d = {ULPGATE_HEAD, .name = "steered", .version = "1", .entries = &entry, .entry_count = 1};
    return variant ? NULL : &d;
}
