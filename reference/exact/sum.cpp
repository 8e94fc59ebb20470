#include "reference/exact/sum.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "reference/simd/dispatch.hpp"

namespace ulpgate {
namespace {

constexpr std::size_t lanes = 16;
using F4 = float __attribute__((vector_size(16)));
using D4 = double __attribute__((vector_size(32)));
using U4 = std::uint32_t __attribute__((vector_size(16)));

struct Lanes {
    double h[lanes], l[lanes];
    std::uint32_t bits;      // OR of all words' mantissas: its trailing zeros are common to all x
    std::uint32_t smallest;  // min over nonzero x of |word| - 1
};

ULPGATE_INLINE void add_lanes(const float* x, std::size_t n, Lanes& out) {
    D4 h[4] = {}, l[4] = {};
    U4 bits = {}, smallest = ~U4{};
    for (std::size_t i = 0; i < n; i += lanes)
        for (std::size_t k = 0; k < 4; ++k) {
            F4 v;
            U4 w;
            std::memcpy(&v, x + i + 4 * k, sizeof v);
            std::memcpy(&w, x + i + 4 * k, sizeof w);
            const U4 a = (w & 0x7fffffffu) - 1;  // zeros become the largest
            bits |= w;
            smallest = a < smallest ? a : smallest;
            const D4 wide = __builtin_convertvector(v, D4);
            const D4 q = wide * wide, s = h[k] + q, t = s - h[k];
            l[k] += (h[k] - (s - t)) + (q - t);
            h[k] = s;
        }
    std::memcpy(out.h, h, sizeof h);
    std::memcpy(out.l, l, sizeof l);
    out.bits = (bits[0] | bits[1] | bits[2] | bits[3]) & 0x7fffffu;
    out.smallest = std::min({smallest[0], smallest[1], smallest[2], smallest[3]});
}

struct TwoSum {
    double s, e;
    TwoSum(double a, double b) : s(a + b) {
        const double t = s - a;
        e = (a - (s - t)) + (b - t);
    }
};

// Exponent of the unit that every x is a multiple of: the lowest bit set in any, at the smallest exponent.
int unit_exponent(const Lanes& v) {
    const int field = std::max(static_cast<int>((v.smallest + 1) >> 23), 1);
    return field - 150 + std::min(std::countr_zero(v.bits | 0x800000u), 23);
}

using Add = void (*)(const float*, std::size_t, Lanes&);

SumOfSquares sum_with(Add add, std::span<const float> x) {
    const std::size_t whole = x.size() / lanes * lanes;
    Lanes part[2];
    add(x.data(), whole, part[0]);
    float rest[lanes] = {};
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(whole), x.end(), rest);
    add(rest, lanes, part[1]);

    TwoSum sum(0, 0);
    double low = 0;
    for (const Lanes& p : part)
        for (std::size_t k = 0; k < lanes; ++k) {
            sum = TwoSum(sum.s, p.h[k]);
            low += sum.e;
            low += p.l[k];
        }
    const TwoSum total(sum.s, low);
    if (total.s == 0) return {0, 0, 0};

    const Lanes both{{}, {}, part[0].bits | part[1].bits, std::min(part[0].smallest, part[1].smallest)};
    const double n = static_cast<double>(whole / lanes + 1), u = 0x1p-53;
    // 2^(L + 53) as a double: L = 2 unit_exponent lies in -298..208
    const auto field = static_cast<std::uint64_t>(2 * unit_exponent(both) + 53 + 1023);
    const double whole_until = std::bit_cast<double>(field << 52);
    if ((n + 32) * u * total.s * (1 + 0x1p-20) <= whole_until) return {total.s, total.e, 0};
    return {total.s, total.e, (n * (n + 1) / 2 + 64 * (n + 33)) * (u * u) * (1 + 0x1p-9)};
}

ULPGATE_AVX2 void add_avx2(const float* x, std::size_t n, Lanes& out) { add_lanes(x, n, out); }
void add_portable(const float* x, std::size_t n, Lanes& out) { add_lanes(x, n, out); }

// A term passes floor(d/32) additions, four of the tree and one of the tail, or the tail's.
ULPGATE_INLINE double add_quickly(const float* x, std::size_t n) {
    constexpr std::size_t width = 8;
    D4 sum[width] = {};
    std::size_t i = 0;
    for (; i + 4 * width <= n; i += 4 * width)
        for (std::size_t k = 0; k < width; ++k) {
            F4 v;
            std::memcpy(&v, x + i + 4 * k, sizeof v);
            const D4 wide = __builtin_convertvector(v, D4);
            sum[k] += wide * wide;  // exact products: FMA or not, the same bits
        }
    for (std::size_t k = 0; k < 4; ++k) sum[k] += sum[k + 4];
    const D4 all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    double tail = 0;
    for (; i < n; ++i) tail += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    return ((all[0] + all[1]) + (all[2] + all[3])) + tail;
}
ULPGATE_AVX2 double add_quickly_avx2(const float* x, std::size_t n) { return add_quickly(x, n); }

}  // namespace

double quick_sum_of_squares(std::span<const float> x) { return has_avx2() ? add_quickly_avx2(x.data(), x.size()) : add_quickly(x.data(), x.size()); }

double portable::quick_sum_of_squares(std::span<const float> x) { return add_quickly(x.data(), x.size()); }

SumOfSquares sum_of_squares(std::span<const float> x) { return sum_with(has_avx2() ? add_avx2 : add_portable, x); }

SumOfSquares portable::sum_of_squares(std::span<const float> x) { return sum_with(add_portable, x); }

}  // namespace ulpgate
