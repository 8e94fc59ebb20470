#include "reference/tensor_core/tile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "reference/simd/dispatch.hpp"

namespace ulpgate {
namespace {

constexpr int columns = tile_columns, most = 16;
constexpr std::int32_t of_zero = -20000;  // an exponent that is never the largest, whose term is shifted out

#if defined(__clang__)
#define ULPGATE_COLUMNS _Pragma("clang loop vectorize(assume_safety)") for (int c = 0; c < columns; ++c)
#else
#define ULPGATE_COLUMNS _Pragma("GCC ivdep") for (int c = 0; c < columns; ++c)
#endif

struct Parts {
    std::int32_t significand, exponent;
};
template <class F>
Parts parts(typename F::Word w) {
    const auto field = static_cast<std::int32_t>((w & F::exponent_mask) >> F::mantissa_bits);
    const auto fraction = static_cast<std::int32_t>(w & (F::min_normal_word - 1u));
    const std::int32_t m = field ? fraction | static_cast<std::int32_t>(F::min_normal_word) : fraction;
    return {w & F::sign_bit ? -m : m, m ? std::max(field, 1) - F::bias : of_zero};
}

struct Operands {
    std::int32_t a[tile_rows][most], a_exponent[tile_rows][most];
    alignas(32) std::int32_t b[most][columns], b_exponent[most][columns];
};

// One group of one row. acc: 8 sums, finite. False: a result lies beyond f32's range.
ULPGATE_INLINE bool group(const Operands& o, int r, int from, int to, int fraction, int product_bits, int least, float* acc) {
    alignas(32) std::int32_t word[columns], m[columns], e[columns], largest[columns], low[columns], high[columns]{};
    ULPGATE_COLUMNS {
        word[c] = std::bit_cast<std::int32_t>(acc[c]);
        const std::int32_t field = (word[c] >> 23) & 255, rest = word[c] & 0x7fffff;
        m[c] = field ? rest | 0x800000 : rest;
        e[c] = m[c] ? std::max(field, 1) - F32::bias : of_zero;
        largest[c] = std::max(least, e[c]);
    }
    for (int k = from; k < to; ++k) {
        const std::int32_t x = o.a_exponent[r][k];
        ULPGATE_COLUMNS largest[c] = std::max(largest[c], x + o.b_exponent[k][c]);
    }
    ULPGATE_COLUMNS {
        const std::int32_t v = (m[c] << (fraction - F32::mantissa_bits)) >> std::min(largest[c] - e[c], 31);
        low[c] = word[c] < 0 ? -v : v;
    }
    // |term| < 2^(fraction + 2) <= 2^27: eight of them and c's stay within 32 bits.
    const auto add = [&](int first, int last, std::int32_t* sum) {
        for (int k = first; k < last; ++k) {
            const std::int32_t x = o.a[r][k], xe = o.a_exponent[r][k];
            ULPGATE_COLUMNS {
                const std::int32_t p = x * o.b[k][c], magnitude = p < 0 ? -p : p;
                const std::int32_t v = (magnitude << (fraction - product_bits)) >> std::min(largest[c] - xe - o.b_exponent[k][c], 31);
                sum[c] += p < 0 ? -v : v;
            }
        }
    };
    const int middle = std::min(from + 8, to);
    add(from, middle, low);
    add(middle, to, high);
    bool within = true;
    for (int c = 0; c < columns; ++c) {
        const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + largest[c] - fraction) << 52);
        const double s = static_cast<double>(std::int64_t{low[c]} + high[c]) * unit;  // exact: 33 bits
        within &= std::fabs(s) < 0x1p128;
        const float nearest = static_cast<float>(s);
        const auto w = std::bit_cast<std::uint32_t>(nearest);
        acc[c] = std::bit_cast<float>(w - (std::fabs(static_cast<double>(nearest)) > std::fabs(s)));
    }
    return within;
}

ULPGATE_INLINE bool rows(const Operands& o, int depth, int step, int fraction, int product_bits, int least, float* d) {
    for (int r = 0; r < tile_rows; ++r)
        for (int k = 0; k < depth; k += step)
            if (!group(o, r, k, std::min(k + step, depth), fraction, product_bits, least, d + r * columns)) return false;
    return true;
}
bool rows_portable(const Operands& o, int depth, int step, int fraction, int product_bits, int least, float* d) {
    return rows(o, depth, step, fraction, product_bits, least, d);
}
ULPGATE_AVX2 bool rows_avx2(const Operands& o, int depth, int step, int fraction, int product_bits, int least, float* d) {
    return rows(o, depth, step, fraction, product_bits, least, d);
}

// True: the operands are filled in. False: an Inf or NaN is among them.
template <class F>
bool split(int depth, const typename F::Word* a, const typename F::Word* b, Operands& o) {
    bool finite = true;
    for (int r = 0; r < tile_rows; ++r)
        for (int k = 0; k < depth; ++k) {
            finite &= F::is_finite(a[r * depth + k]);
            const Parts p = parts<F>(a[r * depth + k]);
            o.a[r][k] = p.significand, o.a_exponent[r][k] = p.exponent;
        }
    for (int c = 0; c < columns; ++c)
        for (int k = 0; k < depth; ++k) {
            finite &= F::is_finite(b[c * depth + k]);
            const Parts p = parts<F>(b[c * depth + k]);
            o.b[k][c] = p.significand, o.b_exponent[k][c] = p.exponent;
        }
    return finite;
}

}  // namespace

template <class F>
void tensor_core_tile(const TensorCore& core, int depth, const typename F::Word* a, const typename F::Word* b, float* d) {
    Operands o;
    bool fast = split<F>(depth, a, b, o) && core.kept_bits == F32::mantissa_bits && core.fraction_bits <= 25 &&
                core.fraction_bits >= std::max(F32::mantissa_bits, 2 * F::mantissa_bits) && core.group <= most;
    for (int n = 0; n < tile_rows * columns; ++n) fast &= std::isfinite(d[n]);
    float sums[tile_rows * columns];
    std::copy(d, d + tile_rows * columns, sums);
    if (fast && (has_avx2() ? rows_avx2 : rows_portable)(o, depth, core.group, core.fraction_bits, 2 * F::mantissa_bits, core.least_exponent, sums)) {
        std::copy(sums, sums + tile_rows * columns, d);
        return;
    }
    const auto n = static_cast<std::size_t>(depth);
    for (int r = 0; r < tile_rows; ++r)
        for (int c = 0; c < columns; ++c)
            d[r * columns + c] = tensor_core_dot<F>(core, {a + r * depth, n}, {b + c * depth, n}, d[r * columns + c]);
}

template void tensor_core_tile<Bf16>(const TensorCore&, int, const Bf16::Word*, const Bf16::Word*, float*);
template void tensor_core_tile<Fp16>(const TensorCore&, int, const Fp16::Word*, const Fp16::Word*, float*);

}  // namespace ulpgate
