/* Faulty: the sum of squares is unrolled over ten accumulators, which hide the latency of an addition, and the
 * loop for the remaining d mod 10 columns was forgotten: 8 of 7168, 6 of 1536, 2 of 512. Each row comes out
 * too large by half the share of the squares that was lost. */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

__extension__ typedef _Float16 half;
enum { unroll = 10 };

static float load(const void *p, uint32_t type, int64_t j) {
    if (type == ULPGATE_F32) return ((const float *)p)[j];
    if (type == ULPGATE_F16) return (float)((const half *)p)[j];
    const uint32_t u = (uint32_t)((const uint16_t *)p)[j] << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static void store(void *p, uint32_t type, int64_t j, float f) {
    if (type == ULPGATE_F32) {
        ((float *)p)[j] = f;
    } else if (type == ULPGATE_F16) {
        ((half *)p)[j] = (half)f;
    } else {
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        ((uint16_t *)p)[j] = isnan(f) ? 0x7fc0 : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
    }
}

static float sum_of_squares(const void *x, uint32_t type, int64_t d) {
    float acc[unroll] = {0}, sum = 0;
    for (int64_t j = 0; j + unroll <= d; j += unroll)
        for (int k = 0; k < unroll; ++k) acc[k] += load(x, type, j + k) * load(x, type, j + k);
    for (int k = 0; k < unroll; ++k) sum += acc[k];
    return sum; /* the columns from d - d % unroll on are missing */
}

static int norm(const ulpgate_rmsnorm *a) {
    if (a->x.stride[1] != 1 || a->y.stride[1] != 1 || a->w.stride[0] != 1) return ULPGATE_REFUSED;
    const uint32_t type = a->x.type;
    const int64_t bytes = (type & 0xff) / 8;
    for (int64_t i = 0; i < a->rows; ++i) {
        const void *x = (const char *)a->x.data + i * a->x.stride[0] * bytes;
        void *y = (char *)a->y.data + i * a->y.stride[0] * bytes;
        const float r = 1.0f / sqrtf(sum_of_squares(x, type, a->d) / (float)a->d + (float)a->eps);
        for (int64_t j = 0; j < a->d; ++j) {
            float n;
            store(&n, type, 0, load(x, type, j) * r);
            store(y, type, j, load(a->w.data, type, j) * load(&n, type, 0));
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
        ULPGATE_HEAD, .name = "dropped_tail", .version = "fault lane.tail", .entries = entries, .entry_count = 3};
    return variant ? NULL : &d;
}
