/* bf16 by pairs, one 32-bit word a pair: the even column is word << 16, the odd one the word itself. */
#include "impls/byhand/out.h"

static void unpack(uint32_t word, float *even, float *odd, uint32_t keep) {
    const uint32_t low = word << 16, high = word & keep;
    memcpy(even, &low, sizeof low);
    memcpy(odd, &high, sizeof high);
}

static uint32_t pair_at(const ulpgate_rmsnorm *a, int64_t row, int64_t column) {
    const uint16_t *x = a->x.data;
    const uint32_t even = x[place(&a->x, row, column)];
    return even | (column + 1 < a->d ? (uint32_t)x[place(&a->x, row, column + 1)] << 16 : 0);
}

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float sum[8] = {0}, even, odd;
        for (int64_t i = 0; i < a->d; i += 2) {
            unpack(pair_at(a, row, i), &even, &odd, 0xffff0000u);
            sum[i / 2 % 4 * 2] += even * even;
            sum[i / 2 % 4 * 2 + 1] += odd * odd;
        }
        const float s = ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
        const float r = 1.0f / sqrtf(s / (float)a->d + (float)a->eps);
        for (int64_t i = 0; i < a->d; i += 2) {
            unpack(pair_at(a, row, i), &even, &odd, 0xffffffffu);
            put(a, row, i, rounded(ULPGATE_BF16, even * r));
            if (i + 1 < a->d) put(a, row, i + 1, rounded(ULPGATE_BF16, odd * r));
        }
    }
    return ULPGATE_OK;
}

OUT_KERNEL("unmasked_pair", "unlisted", OUT_BF16)
