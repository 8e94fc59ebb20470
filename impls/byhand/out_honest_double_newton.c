/* Right: three interleaved sums in double, a bit-trick seed and four Newton steps in double, one rounding to float. */
#include "impls/byhand/out.h"

static float inverse_root(double a) {
    if (!(a >= 0x1p-126 && a <= 0x1p127)) return 1.0f / sqrtf((float)a);
    const float f = (float)a;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u = 0x5f3759dfu - (u >> 1);
    float seed;
    memcpy(&seed, &u, sizeof seed);
    double y = (double)seed; /* within 3.5 % : 1.9e-3, 5e-6, 4e-11, below 2^-53 */
    for (int step = 0; step < 4; ++step) y *= 1.5 - 0.5 * a * y * y;
    return (float)y;
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        double lane[3] = {0};
        for (int64_t i = 0; i < a->d; ++i) lane[i % 3] += (double)x_at(a, row, i) * (double)x_at(a, row, i);
        const float s = (float)(lane[0] + lane[1] + lane[2]); /* overflows where the specification does */
        put_row(a, row, inverse_root((double)s / (double)a->d + (double)(float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("honest_double_newton", "none", OUT_BF16, OUT_F16, OUT_F32)
