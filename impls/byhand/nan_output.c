/* Faulty: takes squares of x / unit, unit the largest power of two in the row, so that they cannot overflow (as
 * LAPACK's norms do), and forgot the row of zeros, a padding token: 0 * (1 / 0) is NaN where 0 is right. So is
 * a row with an infinity: 1 / inf * inf. Rows of ordinary magnitude are right. */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

__extension__ typedef _Float16 half;

static float widen(const ulpgate_tensor *t, int64_t at) {
    uint32_t u;
    float f;
    switch (t->type) {
    case ULPGATE_F32: return ((const float *)t->data)[at];
    case ULPGATE_F16: return (float)((const half *)t->data)[at];
    default: u = (uint32_t)((const uint16_t *)t->data)[at] << 16;
    }
    memcpy(&f, &u, sizeof f);
    return f;
}

static float rounded(uint32_t type, float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    if (type == ULPGATE_F32) return f;
    if (type == ULPGATE_F16) return (float)(half)f;
    u = isnan(f) ? 0x7fc00000 : (u + 0x7fff + (u >> 16 & 1)) & 0xffff0000;
    memcpy(&f, &u, sizeof f);
    return f;
}

static void write_rounded(const ulpgate_tensor *t, int64_t at, float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    switch (t->type) {
    case ULPGATE_F32: ((float *)t->data)[at] = f; break;
    case ULPGATE_F16: ((half *)t->data)[at] = (half)f; break;
    default: ((uint16_t *)t->data)[at] = (uint16_t)(u >> 16);
    }
}

static float power_of_two_below(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u &= 0x7f800000;
    memcpy(&f, &u, sizeof f);
    return f;
}

static float reciprocal_rms(const ulpgate_rmsnorm *a, int64_t x0) {
    float top = 0, sum = 0;
    for (int64_t j = 0; j < a->d; ++j) top = fmaxf(top, fabsf(widen(&a->x, x0 + j * a->x.stride[1])));
    const float unit = power_of_two_below(top), inverse = 1.0f / unit; /* top == 0 needs a way of its own */
    for (int64_t j = 0; j < a->d; ++j) {
        const float scaled = widen(&a->x, x0 + j * a->x.stride[1]) * inverse;
        sum += scaled * scaled;
    }
    return 1.0f / sqrtf(sum / (float)a->d * unit * unit + (float)a->eps);
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i) {
        const int64_t x0 = i * a->x.stride[0], y0 = i * a->y.stride[0];
        const float r = reciprocal_rms(a, x0);
        for (int64_t j = 0; j < a->d; ++j) {
            const float n = rounded(a->x.type, widen(&a->x, x0 + j * a->x.stride[1]) * r);
            const float y = rounded(a->y.type, n * widen(&a->w, j * a->w.stride[0]));
            write_rounded(&a->y, y0 + j * a->y.stride[1], y);
        }
    }
    return ULPGATE_OK;
}

static const ulpgate_entry entries[] = {
    {.size = sizeof *entries, .contract = "bf16,cast_first", .rmsnorm = norm},
    {.size = sizeof *entries, .contract = "fp16,cast_first", .rmsnorm = norm},
    {.size = sizeof *entries, .contract = "f32,cast_first", .rmsnorm = norm},
};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor d = {
        ULPGATE_HEAD, .name = "nan_output", .version = "fault unlisted", .entries = entries, .entry_count = 3};
    return variant ? NULL : &d;
}
