// q_pe or k_pe in place: elements 2k and 2k + 1 of a head by the token's position's row of cos_sin (rope / 2 cosines, then as
// many sines). Products and their sum in f32, one cast to T; three: each of them rounded to T.
#pragma once
#include "projection.cuh"

struct Rotation {
    View v;
    const long long* positions;
    const void* table;
    long long positions_batch, positions_token, table_row;
    int all_tokens, tokens, heads, rope, first;  // first: the column of v where a head's rotated part begins
};

template <class T, class Table, bool three>
__device__ void rotate(const Rotation& r) {
    using S = typename T::Storage;
    const auto turned = [](float x, float c, float y, float s) {
        float p = __fmul_rn(x, c), q = __fmul_rn(y, s);
        if (three) p = T::load(T::store(p)), q = T::load(T::store(q));
        return T::store(__fadd_rn(p, q));
    };
    const int half = r.rope / 2, pairs = r.heads * half;
#pragma unroll 1
    for (int token = blockIdx.x; token < r.all_tokens; token += gridDim.x) {
        const long long position = r.positions[token / r.tokens * r.positions_batch + token % r.tokens * r.positions_token];
        const auto* const row = static_cast<const typename Table::Storage*>(r.table) + position * r.table_row;
#pragma unroll 1
        for (int n = threadIdx.x; n < pairs; n += blockDim.x) {
            const int head = n / half, k = n % half;
            S *const a = at<S>(r.v, r.tokens, token, head, r.first + 2 * k), *const b = a + r.v.column;
            const float x = T::load(*a), y = T::load(*b), c = Table::load(row[k]), s = Table::load(row[half + k]);
            *a = turned(x, c, -y, s);
            *b = turned(y, c, x, s);
        }
    }
}
