/* What the kernels out_*.c and second_*.c share: their entries, and the specification's second half for those whose fault
 * lies in the first. What each computes wrong stands in its sidecar, STEM.toml (schema: TRUTH.md). */
#ifndef BYHAND_OUT_H
#define BYHAND_OUT_H
#include "impls/byhand/element.h"

#define OUT_ENTRY(claim) {.size = sizeof(ulpgate_entry), .contract = claim, .rmsnorm = norm}
#define OUT_BF16 OUT_ENTRY("bf16,cast_first")
#define OUT_F16 OUT_ENTRY("fp16,cast_first")
#define OUT_F32 OUT_ENTRY("f32,cast_first")

#define OUT_KERNEL(title, fault, ...)                                                       \
    static const ulpgate_entry entries[] = {__VA_ARGS__};                                   \
    const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {                       \
        static const ulpgate_descriptor d = {                                               \
            ULPGATE_HEAD, .name = title, .version = "fault " fault, .entries = entries,     \
            .entry_count = sizeof entries / sizeof *entries};                               \
        return variant ? NULL : &d;                                                         \
    }

/* Element (row, column) of x, widened. */
static inline float x_at(const ulpgate_rmsnorm *a, int64_t row, int64_t column) {
    return load(&a->x, place(&a->x, row, column));
}

static inline float gain_at(const ulpgate_rmsnorm *a, int64_t column) { return load(&a->w, column * a->w.stride[0]); }

/* y = T(w * n): the product of two bf16 or two fp16 is exact in float, so it is rounded once. */
static inline void put(const ulpgate_rmsnorm *a, int64_t row, int64_t column, float n) {
    store(&a->y, place(&a->y, row, column), gain_at(a, column) * n);
}

/* y = T(w * T(x * r)), the whole row. */
static inline void put_row(const ulpgate_rmsnorm *a, int64_t row, float r) {
    for (int64_t i = 0; i < a->d; ++i) put(a, row, i, rounded(a->x.type, x_at(a, row, i) * r));
}
#endif
