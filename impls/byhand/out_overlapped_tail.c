/* Vectors of 16; what is left over is done by one more vector that ends with the row and overlaps the last. */
#include "impls/byhand/out.h"

enum { width = 16 };

static void add_vector(const ulpgate_rmsnorm *a, int64_t row, int64_t at, float *sum) {
    for (int k = 0; k < width; ++k) sum[k] = fmaf(x_at(a, row, at + k), x_at(a, row, at + k), sum[k]);
}

static void put_vector(const ulpgate_rmsnorm *a, int64_t row, int64_t at, float r) {
    for (int k = 0; k < width; ++k) put(a, row, at + k, rounded(a->x.type, x_at(a, row, at + k) * r));
}

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t whole = a->d / width * width, last = a->d - width;
    for (int64_t row = 0; row < a->rows; ++row) {
        float sum[width] = {0};
        if (a->d < width)
            for (int64_t i = 0; i < a->d; ++i) sum[i] = x_at(a, row, i) * x_at(a, row, i);
        else {
            for (int64_t at = 0; at < whole; at += width) add_vector(a, row, at, sum);
            if (whole < a->d) add_vector(a, row, last, sum);
        }
        for (int step = width / 2; step; step >>= 1)
            for (int k = 0; k < step; ++k) sum[k] += sum[k + step];
        const float r = 1.0f / sqrtf(sum[0] / (float)a->d + (float)a->eps);
        if (a->d < width) {
            put_row(a, row, r);
            continue;
        }
        for (int64_t at = 0; at < whole; at += width) put_vector(a, row, at, r);
        if (whole < a->d) put_vector(a, row, last, r);
    }
    return ULPGATE_OK;
}

OUT_KERNEL("overlapped_tail", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
