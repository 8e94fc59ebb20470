// Small kernels that ask a GPU what no document says (probe.hpp). One thread an answer.
extern "C" __global__ void rsqrt_words(unsigned first, unsigned n, unsigned* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float y;
    asm volatile("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(__uint_as_float(first + i)));
    out[i] = __float_as_uint(y);
}
extern "C" __global__ void rcp_words(unsigned first, unsigned n, unsigned* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float y;
    asm volatile("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(__uint_as_float(first + i)));
    out[i] = __float_as_uint(y);
}

// mul.ftz, add.ftz, fma.rn.ftz; a NaN out of inf - inf.
extern "C" __global__ void flushes(float a, float b, float c, float d, unsigned* out) {
    float product, sum, fused, nan;
    asm volatile("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    asm volatile("add.rn.ftz.f32 %0, %1, %2;" : "=f"(sum) : "f"(c), "f"(d));
    asm volatile("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(fused) : "f"(a), "f"(b), "f"(0.0f));
    asm volatile("add.rn.f32 %0, %1, %2;" : "=f"(nan) : "f"(__uint_as_float(0x7f800000u)), "f"(__uint_as_float(0xff800000u)));
    out[0] = __float_as_uint(product);
    out[1] = __float_as_uint(sum);
    out[2] = __float_as_uint(fused);
    out[3] = __float_as_uint(nan);
}

// d = a b^T + c: one warp a block; block n takes the n-th a [16, 16], b [8, 16] and c [16, 8], rows side by side.
extern "C" __global__ void multiply_bf16(const unsigned short* a, const unsigned short* b, const float* c, float* d) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4 * 2;
    const unsigned* const x = reinterpret_cast<const unsigned*>(a + blockIdx.x * 256);
    const unsigned* const y = reinterpret_cast<const unsigned*>(b + blockIdx.x * 128);
    const float* const z = c + blockIdx.x * 128;
    float* const to = d + blockIdx.x * 128;
    const auto pair = [&](const unsigned* from, int row, int column) { return from[(row * 16 + column) / 2]; };
    float s[4] = {z[g * 8 + t], z[g * 8 + t + 1], z[(g + 8) * 8 + t], z[(g + 8) * 8 + t + 1]};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(pair(x, g, t)), "r"(pair(x, g + 8, t)), "r"(pair(x, g, t + 8)), "r"(pair(x, g + 8, t + 8)), "r"(pair(y, g, t)), "r"(pair(y, g, t + 8)));
    to[g * 8 + t] = s[0];
    to[g * 8 + t + 1] = s[1];
    to[(g + 8) * 8 + t] = s[2];
    to[(g + 8) * 8 + t + 1] = s[3];
}
