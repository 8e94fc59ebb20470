/* Faulty: adds eps to the root instead of under it, x / (sqrt(mean square) + eps). On activations around 1
 * hardly a bit changes; far below sqrt(eps) the outputs are a thousand times too large. */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

__extension__ typedef _Float16 half;

static float read_at(const ulpgate_tensor *t, int64_t at) {
    float f;
    if (t->type == ULPGATE_F32) return ((const float *)t->data)[at];
    if (t->type == ULPGATE_F16) return (float)((const half *)t->data)[at];
    const uint32_t u = (uint32_t)((const uint16_t *)t->data)[at] << 16;
    memcpy(&f, &u, sizeof f);
    return f;
}

static void write_at(const ulpgate_tensor *t, int64_t at, float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    if (t->type == ULPGATE_F32) ((float *)t->data)[at] = f;
    else if (t->type == ULPGATE_F16) ((half *)t->data)[at] = (half)f;
    else ((uint16_t *)t->data)[at] = isnan(f) ? 0x7fc0 : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static int norm(const ulpgate_rmsnorm *a) {
    const ulpgate_tensor *x = &a->x, *w = &a->w, *y = &a->y;
    for (int64_t i = 0; i < a->rows; ++i) {
        float sum = 0;
        for (int64_t j = 0; j < a->d; ++j) {
            const float v = read_at(x, i * x->stride[0] + j * x->stride[1]);
            sum += v * v;
        }
        const float inverse = 1.0f / (sqrtf(sum / (float)a->d) + (float)a->eps); /* eps belongs under the root */
        for (int64_t j = 0; j < a->d; ++j) {
            const int64_t at = i * y->stride[0] + j * y->stride[1];
            const float gain = read_at(w, j * w->stride[0]);
            write_at(y, at, read_at(x, i * x->stride[0] + j * x->stride[1]) * inverse); /* rounds */
            write_at(y, at, gain * read_at(y, at));
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
        ULPGATE_HEAD, .name = "eps_outside", .version = "fault eps.outside", .entries = entries, .entry_count = 3};
    return variant ? NULL : &d;
}
