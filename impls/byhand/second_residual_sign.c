/* Faulty, in no fault list: each of 64 lanes keeps its running sum as bf16 (it has to fit beside the row in shared memory)
 * and adds up in float what the rounding of it lost. The sum is high + low; it is taken as high - low. */
#include "impls/byhand/out.h"

enum { lanes = 64 };

typedef struct {
    float high, low; /* high is a bf16 */
} pair;

static void add(pair *p, float q) {
    const float t = p->high + q;
    p->high = rounded(ULPGATE_BF16, t);
    if (isfinite(p->high)) p->low += t - p->high;
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        pair lane[lanes] = {{0, 0}};
        for (int64_t i = 0; i < a->d; ++i) add(lane + i % lanes, x_at(a, row, i) * x_at(a, row, i));
        for (int step = lanes / 2; step; step >>= 1)
            for (int k = 0; k < step; ++k) {
                lane[k].high += lane[k + step].high;
                lane[k].low += lane[k + step].low;
            }
        const float s = lane[0].high - lane[0].low;
        put_row(a, row, 1.0f / sqrtf(s / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("residual_sign", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
