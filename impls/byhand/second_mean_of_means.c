/* Faulty, in no fault list: blocks of 1024 columns, each with a mean square of its own, and the row's is taken as the mean
 * of those without regard to how many columns each holds: at 1536 a square of the last 512 columns weighs twice one of
 * the first 1024. 512 and 7168 are right. */
#include "impls/byhand/out.h"

enum { block = 1024, lanes = 4 };

static float mean_square(const ulpgate_rmsnorm *a, int64_t row, int64_t from, int64_t end) {
    const int64_t run = (end - from + lanes - 1) / lanes; /* a lane's columns lie side by side */
    float lane[lanes] = {0};
    for (int64_t i = from; i < end; ++i) lane[(i - from) / run] += x_at(a, row, i) * x_at(a, row, i);
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) / (float)(end - from);
}

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t blocks = (a->d + block - 1) / block;
    for (int64_t row = 0; row < a->rows; ++row) {
        float means = 0;
        for (int64_t b = 0; b < blocks; ++b)
            means += mean_square(a, row, b * block, (b + 1) * block < a->d ? (b + 1) * block : a->d);
        put_row(a, row, 1.0f / sqrtf(means / (float)blocks + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("mean_of_means", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
