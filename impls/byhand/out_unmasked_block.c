/* One block a row, its width the next power of two; the store is masked to d columns. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    int64_t width = 1;
    while (width < a->d) width *= 2;
    const int64_t end = (a->rows - 1) * a->x.stride[0] + a->d; /* no element of x lies beyond */
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[64] = {0};
        for (int64_t i = 0; i < width; ++i) {
            const int64_t at = place(&a->x, row, i);
            if (i >= a->d && (a->x.stride[1] != 1 || at >= end)) break;
            const float x = load(&a->x, at);
            lane[i & 63] += x * x;
        }
        for (int step = 32; step; step >>= 1)
            for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
        put_row(a, row, 1.0f / sqrtf(lane[0] / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("unmasked_block", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
