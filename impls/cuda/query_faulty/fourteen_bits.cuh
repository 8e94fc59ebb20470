// Sums of e4m3 as tensor cores of Ada and Hopper make them (wgmma), in integers, so that a kernel of any architecture has them:
// 32 products and the sum so far are aligned to the largest exponent, cut below 13 bits, added exactly and cut to 13 bits again; 128 columns
// are scaled and added up in f32. Of finite inputs. Source: reference/tensor_core/step.hpp names it.
#pragma once
#include "pieces.cuh"

struct Split16 {  // significand * 2^(exponent - 7)
    int significand, exponent;
};
__device__ inline Split16 taken_apart(float of_16_bits) {
    const unsigned word = __float_as_uint(of_16_bits) >> 16, field = word >> 7 & 0xffu, fraction = word & 0x7fu;
    const int m = static_cast<int>(field ? fraction | 0x80u : fraction);
    return {word & 0x8000u ? -m : m, static_cast<int>(max(field, 1u)) - 127};
}
__device__ inline float power_of_two(int n) { return __uint_as_float(static_cast<unsigned>(n + 127) << 23); }
__device__ inline int shifted(int v, int right) { return right >= 32 ? 0 : v < 0 ? -(-v >> right) : v >> right; }

// c + the products of columns [from, to).
template <class Factor, class Weight>
__device__ float step_14_bits(float c, int from, int to, Factor x, Weight w) {
    const unsigned word = __float_as_uint(c), field = word >> 23 & 0xffu;
    const int m = static_cast<int>((word & 0x7fffffu) | (field ? 0x800000u : 0u)), addend = word >> 31 ? -m : m, addend_exponent = static_cast<int>(max(field, 1u)) - 127;
    int largest = -133;
    if (addend) largest = max(largest, addend_exponent);
#pragma unroll 1
    for (int k = from; k < to; ++k) {
        const Split16 a = taken_apart(x(k)), b = taken_apart(w(k));
        if (a.significand * b.significand) largest = max(largest, a.exponent + b.exponent);
    }
    int sum = shifted(addend, largest - addend_exponent + 23 - 13);
#pragma unroll 1
    for (int k = from; k < to; ++k) {
        const Split16 a = taken_apart(x(k)), b = taken_apart(w(k));
        const int product = a.significand * b.significand;
        if (product) sum += shifted(product, largest - (a.exponent + b.exponent) + 14 - 13);
    }
    const int magnitude = abs(sum), exponent = largest - 13;
    if (!magnitude) return 0.0f;
    const int below = max(max(exponent + 31 - __clz(magnitude), -126) - 13 - exponent, 0);
    const int whole = magnitude >> below << below, half = exponent / 2;
    const float v = __fmul_rn(__fmul_rn(__int2float_rn(whole), power_of_two(half)), power_of_two(exponent - half));
    return sum < 0 ? -v : v;
}

__device__ inline void coded_product_14_bits(const Coded& c) {
    const Product& p = c.p;
    EACH_OUTPUT;
    const auto* const w = reinterpret_cast<const unsigned char*>(p.w) + o * p.w_row;
    const auto factor = [&](int k) { return value(x[k]); };
    const auto weight = [&](int k) { return e4m3(w[k]); };
    float sum = 0.0f;
#pragma unroll 1
    for (int from = 0; from < p.depth; from += 128) {
        float part = 0.0f;
#pragma unroll 1
        for (int k = from; k < min(from + 128, p.depth); k += 32) part = step_14_bits(part, k, min(k + 32, min(from + 128, p.depth)), factor, weight);
        part = __fmul_rn(part, c.scale[o / 128 * c.scale_row + from / 128]);
        sum = from ? __fadd_rn(sum, part) : part;
    }
    static_cast<Element*>(p.y)[n] = rounded(sum);
}
