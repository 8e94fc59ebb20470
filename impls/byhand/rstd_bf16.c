/* Faulty: keeps the reciprocal rms in a bf16 buffer between the statistics pass and the scaling pass. Every
 * element of a row is scaled by one wrong number, up to 0.4 % off. */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

typedef uint16_t bf16;

static float f32(bf16 h) {
    const uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static bf16 rne(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return isnan(f) ? 0x7fc0 : (bf16)((u + (0x7fff + (u >> 16 & 1))) >> 16);
}

static void statistics(const ulpgate_rmsnorm *a, bf16 *rstd) {
    for (int64_t row = 0; row < a->rows; ++row) {
        const bf16 *x = (const bf16 *)a->x.data + row * a->x.stride[0];
        float sum = 0;
        for (int64_t j = 0; j < a->d; ++j) sum += f32(x[j]) * f32(x[j]);
        rstd[row] = rne(1.0f / sqrtf(sum / (float)a->d + (float)a->eps)); /* should stay f32 */
    }
}

static void scale(const ulpgate_rmsnorm *a, const bf16 *rstd) {
    const bf16 *w = a->w.data;
    for (int64_t row = 0; row < a->rows; ++row) {
        const bf16 *x = (const bf16 *)a->x.data + row * a->x.stride[0];
        bf16 *y = (bf16 *)a->y.data + row * a->y.stride[0];
        for (int64_t j = 0; j < a->d; ++j) y[j] = rne(f32(w[j]) * f32(rne(f32(x[j]) * f32(rstd[row]))));
    }
}

static size_t workspace(const void *arguments) {
    return (size_t)((const ulpgate_rmsnorm *)arguments)->rows * sizeof(bf16);
}

static int norm(const ulpgate_rmsnorm *a) {
    if (a->x.stride[1] != 1 || a->y.stride[1] != 1 || a->w.stride[0] != 1) return ULPGATE_REFUSED;
    statistics(a, a->call.workspace);
    scale(a, a->call.workspace);
    return ULPGATE_OK;
}

static const ulpgate_entry entry = {
    .size = sizeof entry, .contract = "bf16,cast_first", .rmsnorm = norm, .workspace = workspace};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor d = {
        ULPGATE_HEAD, .name = "rstd_bf16", .version = "fault rstd.low", .entries = &entry, .entry_count = 1};
    return variant ? NULL : &d;
}
