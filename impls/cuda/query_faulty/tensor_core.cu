// A head's f32 logits on tensor cores, claimed as sums in f32. Which cut they have is the target's: built for sm_80 and for sm_90, one
// source is two faults. A warp makes 16 outputs of 8 tokens; whatever lies outside is a zero.
#include "pieces.cuh"

extern "C" __global__ void __launch_bounds__(32) product_tensor_core(Product p) {
    const int lane = threadIdx.x, g = lane / 4, t = lane % 4 * 2, first_out = blockIdx.x * 16, first_row = blockIdx.y * 8;
    const auto word = [&](const Element* from, long long stride, int row, int rows, int k) {
        const auto at = [&](int e) { return row < rows && k + e < p.depth ? static_cast<unsigned>(__bfloat16_as_ushort(from[row * stride + k + e])) : 0u; };
        return at(0) | at(1) << 16;
    };
    float d[4] = {};
#pragma unroll 1
    for (int k = 0; k < p.depth; k += 16) {
        unsigned a[4], b[2];
#pragma unroll
        for (int i = 0; i < 4; ++i) a[i] = word(p.w, p.w_row, first_out + g + i % 2 * 8, p.outs, k + t + i / 2 * 8);
#pragma unroll
        for (int i = 0; i < 2; ++i) b[i] = word(p.x, p.x_row, first_row + g, p.rows, k + t + i * 8);
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = first_row + t + i % 2, out = first_out + g + i / 2 * 8;
        if (row < p.rows && out < p.outs) static_cast<float*>(p.y)[row * p.outs + out] = d[i];
    }
}
