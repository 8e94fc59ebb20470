/* Faulty, in no fault list: a cluster of four blocks, each with a quarter of the row. Each adds the partial sums of its
 * three peers, block ^ 1, ^ 2 and ^ 3, to its own, and the table of peers says 1, 2, 2: block k counts the columns of
 * k ^ 2 twice and those of k ^ 3 not at all. Every quarter of the row is scaled by another r. */
#include "impls/byhand/out.h"

enum { blocks = 4, warp = 32 };

static const int peer[blocks - 1] = {1, 2, 2}; /* 1, 2, 3 */

static float partial(const ulpgate_rmsnorm *a, int64_t row, int64_t from, int64_t end) {
    float lane[warp] = {0};
    for (int64_t i = from; i < end; ++i) lane[(i - from) % warp] += x_at(a, row, i) * x_at(a, row, i);
    for (int step = warp / 2; step; step >>= 1)
        for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
    return lane[0];
}

static int norm(const ulpgate_rmsnorm *a) {
    const int64_t share = ((a->d + blocks - 1) / blocks + 7) / 8 * 8; /* whole vectors of 8 */
    for (int64_t row = 0; row < a->rows; ++row) {
        float shared[blocks];
        int64_t bound[blocks + 1] = {0};
        for (int b = 0; b < blocks; ++b) {
            bound[b + 1] = (b + 1) * share < a->d ? (b + 1) * share : a->d;
            shared[b] = partial(a, row, bound[b], bound[b + 1]);
        }
        for (int b = 0; b < blocks; ++b) {
            float s = shared[b];
            for (int k = 0; k < blocks - 1; ++k) s += shared[b ^ peer[k]];
            const float r = 1.0f / sqrtf(s / (float)a->d + (float)a->eps);
            for (int64_t i = bound[b]; i < bound[b + 1]; ++i) put(a, row, i, rounded(a->x.type, x_at(a, row, i) * r));
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("peer_twice", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
