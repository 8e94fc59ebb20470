/* Faulty, in no fault list: gains are fetched one vector of 8 ahead, and the last vector of a tile of 512 columns fetches
 * nothing, so that the first 8 columns of every tile but the first are multiplied by the last 8 gains of the tile
 * before: columns 512-519 and 1024-1031 of 1536. All else is right. */
#include "impls/byhand/out.h"

enum { width = 8, tile = 512 };

static void fetch(const ulpgate_rmsnorm *a, int64_t at, float *w) {
    for (int64_t k = 0; k < width && at + k < a->d; ++k) w[k] = gain_at(a, at + k);
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[2 * width] = {0};
        for (int64_t i = 0; i < a->d; ++i) lane[i & 15] = fmaf(x_at(a, row, i), x_at(a, row, i), lane[i & 15]);
        for (int step = width; step; step >>= 1)
            for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
        const float r = 1.0f / sqrtf(lane[0] / (float)a->d + (float)a->eps);
        float w[width] = {0};
        fetch(a, 0, w);
        for (int64_t from = 0; from < a->d; from += tile) {
            const int64_t end = from + tile < a->d ? from + tile : a->d;
            for (int64_t at = from; at < end; at += width) {
                for (int64_t k = 0; k < width && at + k < end; ++k)
                    store(&a->y, place(&a->y, row, at + k), w[k] * rounded(a->x.type, x_at(a, row, at + k) * r));
                if (at + width < end) fetch(a, at + width, w); /* end: should be d */
            }
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("gain_prefetch", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
