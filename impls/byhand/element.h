/* Loads, stores and rounds the three element types; shared by the kernels with faults that no list names. */
#ifndef BYHAND_ELEMENT_H
#define BYHAND_ELEMENT_H
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

__extension__ typedef _Float16 half;

static inline float load(const ulpgate_tensor *t, int64_t at) {
    if (t->type == ULPGATE_F32) return ((const float *)t->data)[at];
    if (t->type == ULPGATE_F16) return (float)((const half *)t->data)[at];
    const uint32_t u = (uint32_t)((const uint16_t *)t->data)[at] << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint16_t nearest_bf16(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return isnan(f) ? 0x7fc0 : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static inline void store(const ulpgate_tensor *t, int64_t at, float f) {
    if (t->type == ULPGATE_F32) ((float *)t->data)[at] = f;
    else if (t->type == ULPGATE_F16) ((half *)t->data)[at] = (half)f;
    else ((uint16_t *)t->data)[at] = nearest_bf16(f);
}

/* f rounded to the type, as a float. */
static inline float rounded(uint32_t type, float f) {
    if (type == ULPGATE_F32) return f;
    if (type == ULPGATE_F16) return (float)(half)f;
    const uint32_t u = (uint32_t)nearest_bf16(f) << 16;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* Element (row, column) of a matrix with its strides. */
static inline int64_t place(const ulpgate_tensor *t, int64_t row, int64_t column) {
    return row * t->stride[0] + column * t->stride[1];
}

/* What the fault is, in the words of the fault list ("eps.outside"), "unlisted" or "none": read by doctor --mutants. */
#define BYHAND_KERNEL(title, fault)                                                                       \
    static const ulpgate_entry entries[] = {                                                              \
        {.size = sizeof *entries, .contract = "bf16,cast_first", .rmsnorm = norm},                        \
        {.size = sizeof *entries, .contract = "fp16,cast_first", .rmsnorm = norm},                        \
        {.size = sizeof *entries, .contract = "f32,cast_first", .rmsnorm = norm},                         \
    };                                                                                                    \
    const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {                                     \
        static const ulpgate_descriptor d = {                                                             \
            ULPGATE_HEAD, .name = title, .version = "fault " fault, .entries = entries, .entry_count = 3}; \
        return variant ? NULL : &d;                                                                       \
    }
#endif
