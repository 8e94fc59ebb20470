/* Right: squares added as 128-bit integers aligned to the largest, so that no order can change the sum. */
#include "impls/byhand/out.h"

__extension__ typedef __int128 wide;

static float sum_of_squares(const ulpgate_rmsnorm *a, int64_t row) {
    double top = 0, special = 0;
    for (int64_t i = 0; i < a->d; ++i) {
        const double q = (double)x_at(a, row, i) * (double)x_at(a, row, i);
        if (!isfinite(q)) special += q;
        else if (q > top) top = q;
    }
    if (special != 0) return (float)special;
    int e;
    frexp(top, &e); /* every square is below 2^e, and 2^24 of them below 2^(e + 24) */
    wide fixed = 0;
    for (int64_t i = 0; i < a->d; ++i) fixed += (wide)ldexp((double)x_at(a, row, i) * (double)x_at(a, row, i), 100 - e);
    return (float)ldexp((double)fixed, e - 100);
}

static int norm(const ulpgate_rmsnorm *a) {
    if (a->d > 1 << 24) return ULPGATE_REFUSED;
    for (int64_t row = 0; row < a->rows; ++row)
        put_row(a, row, 1.0f / sqrtf(sum_of_squares(a, row) / (float)a->d + (float)a->eps));
    return ULPGATE_OK;
}

OUT_KERNEL("honest_integer_sum", "none", OUT_BF16, OUT_F16, OUT_F32)
