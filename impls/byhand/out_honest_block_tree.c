/* Right: blocks of 96 columns, each with Neumaier's compensation, joined by a tree that hands an odd node up. */
#include "impls/byhand/out.h"

enum { block = 96, most = 1024 };

typedef struct {
    float sum, low;
} compensated;

static void add(compensated *c, float q) {
    const float t = c->sum + q;
    c->low += c->sum >= q ? (c->sum - t) + q : (q - t) + c->sum;
    c->sum = t;
}

static float value(const compensated *c) { return isfinite(c->sum) ? c->sum + c->low : c->sum; }

static float join(const compensated *leaf, int64_t n) {
    if (n == 1) return value(leaf);
    const int64_t left = (n + 1) / 2;
    return join(leaf, left) + join(leaf + left, n - left);
}

static int norm(const ulpgate_rmsnorm *a) {
    if (a->d > (int64_t)block * most) return ULPGATE_REFUSED;
    const float inverse_d = 1.0f / (float)a->d;
    for (int64_t row = 0; row < a->rows; ++row) {
        compensated leaf[most] = {{0, 0}};
        for (int64_t i = 0; i < a->d; ++i) add(leaf + i / block, x_at(a, row, i) * x_at(a, row, i));
        const float s = a->d ? join(leaf, (a->d + block - 1) / block) : 0;
        put_row(a, row, 1.0f / sqrtf(s * inverse_d + (float)a->eps));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("honest_block_tree", "none", OUT_BF16, OUT_F16, OUT_F32)
