/* Blocks of 128 columns, their sums joined by a tree of pairs, in place. */
#include "impls/byhand/out.h"

enum { block = 128, most = 1024 };

/* Level by level: node k becomes the sum of nodes 2k and 2k + 1. */
static float join(float *node, int64_t n) {
    for (; n > 1; n = (n + 1) / 2)
        for (int64_t k = 0; 2 * k < n; ++k) {
            const int64_t right = 2 * k + 1 < n ? 2 * k + 1 : n - 1;
            node[k] = node[2 * k] + node[right];
        }
    return node[0];
}

static int norm(const ulpgate_rmsnorm *a) {
    if (a->d > (int64_t)block * most) return ULPGATE_REFUSED;
    for (int64_t row = 0; row < a->rows; ++row) {
        float node[most] = {0};
        for (int64_t i = 0; i < a->d; ++i) node[i / block] += x_at(a, row, i) * x_at(a, row, i);
        const float s = join(node, (a->d + block - 1) / block);
        put_row(a, row, 1.0f / sqrtf(s / (float)a->d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("odd_node_twice", "unlisted", OUT_BF16, OUT_F16, OUT_F32)
