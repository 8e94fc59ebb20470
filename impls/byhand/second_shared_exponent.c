/* Faulty, in no fault list: the row is staged as blocks of 16 with one exponent, that of the largest magnitude, and
 * significands of 10 bits and a sign. The large elements of a block are exact (in bf16), the small ones rounded to a
 * multiple of 2^-9 of the block's leading power of two. Both the sum and what is normalised are made of the staged values. */
#include "impls/byhand/out.h"

enum { block = 16, kept = 10 };

typedef struct {
    int exponent; /* of the last place; x = digits * 2^exponent */
    int16_t digits[block];
    float raw[block];
    int special; /* zeros, Inf or NaN: raw */
} staged;

static void stage(const ulpgate_rmsnorm *a, int64_t row, int64_t at, staged *b) {
    float top = 0;
    b->special = 0;
    for (int k = 0; k < block; ++k) {
        b->raw[k] = at + k < a->d ? x_at(a, row, at + k) : 0.0f;
        if (!isfinite(b->raw[k])) b->special = 1;
        top = fmaxf(top, fabsf(b->raw[k]));
    }
    if (b->special || top == 0) {
        b->special = 1;
        return;
    }
    frexpf(top, &b->exponent);
    b->exponent -= kept;
    for (int k = 0; k < block; ++k) b->digits[k] = (int16_t)lrint(ldexp((double)b->raw[k], -b->exponent));
}

static float value(const staged *b, int k) {
    return b->special ? b->raw[k] : copysignf((float)ldexp((double)b->digits[k], b->exponent), b->raw[k]);
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        staged b;
        float lane[block] = {0};
        for (int64_t at = 0; at < a->d; at += block) {
            stage(a, row, at, &b);
            for (int k = 0; k < block; ++k) lane[k] = fmaf(value(&b, k), value(&b, k), lane[k]);
        }
        float s = 0;
        for (int k = 0; k < block / 2; ++k) s += lane[k] + lane[block - 1 - k];
        const float r = 1.0f / sqrtf(s / (float)a->d + (float)a->eps);
        for (int64_t at = 0; at < a->d; at += block) {
            stage(a, row, at, &b);
            for (int k = 0; k < block && at + k < a->d; ++k) put(a, row, at + k, rounded(a->x.type, value(&b, k) * r));
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("shared_exponent", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
