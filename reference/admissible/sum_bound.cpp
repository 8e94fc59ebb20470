#include "reference/admissible/sum_bound.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "reference/exact/sum.hpp"
#include "reference/formats/lanes8.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate {
namespace {

constexpr std::uint32_t abs_mask = 0x7fffffff, inf_word = 0x7f800000;

ULPGATE_INLINE std::uint32_t abs_word(float v) { return std::bit_cast<std::uint32_t>(v) & abs_mask; }

// Exponent of the lowest bit that is set in a finite nonzero value.
int lowest_bit(std::uint32_t word) {
    const int field = static_cast<int>(word >> 23);
    const std::uint32_t m = (word & 0x7fffff) | (field ? 0x800000 : 0);
    return std::max(field, 1) - 150 + std::countr_zero(m);
}

// Squares of |x| between two neighbouring values of 6 significant bits.
constexpr int bin_shift = 18;
constexpr std::size_t bin_count = inf_word >> bin_shift;
struct Bins {
    std::array<std::uint32_t, bin_count> count{};
    std::array<double, bin_count> sum{};
};

double ufp(double v) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) & 0x7ff0000000000000u); }

struct WordFacts {
    std::uint32_t bits = 0, top = 0, zeros = 0;
    RowFacts row(std::size_t columns) const {
        RowFacts f;
        f.nonzero = static_cast<std::int64_t>(columns) - zeros;
        f.nan = top > inf_word;
        f.inf = !f.nan && top == inf_word;
        f.short_values = !f.nan && (bits & 0xfff) == 0;
        return f;
    }
    ULPGATE_INLINE void add(float v) {
        const auto w = abs_word(v);
        bits |= w;
        top = std::max(top, w);
        zeros += w == 0;
    }
};

ULPGATE_INLINE WordFacts word_facts(std::span<const float> x) {
    WordFacts f;
    for (const float v : x) f.add(v);
    return f;
}
ULPGATE_AVX2 WordFacts word_facts_avx2(std::span<const float> x) { return word_facts(x); }

#if defined(__x86_64__)
template <class F>
ULPGATE_AVX2_INLINE std::uint32_t across(__m256i v, F f) {
    const __m128i four = f(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    const __m128i two = f(four, _mm_shuffle_epi32(four, 0x4e));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(f(two, _mm_shuffle_epi32(two, 0xb1))));
}

// The additions of quick_sum_of_squares, in its order.
ULPGATE_AVX2 WordFacts facts_and_sum(std::span<const float> x, double& sum) {
    constexpr std::size_t eights = 4;
    __m256d s[2 * eights] = {};
    __m256i bits{}, top{}, least = _mm256_set1_epi32(-1);
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(abs_mask));
    std::size_t i = 0;
    for (; i + 8 * eights <= x.size(); i += 8 * eights)
        for (std::size_t k = 0; k < eights; ++k) {
            const float* at = x.data() + i + 8 * k;
            const __m256i a = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), mask);
            const __m256d low = _mm256_cvtps_pd(_mm_loadu_ps(at)), high = _mm256_cvtps_pd(_mm_loadu_ps(at + 4));
            bits = _mm256_or_si256(bits, a);
            top = _mm256_max_epu32(top, a);
            least = _mm256_min_epu32(least, a);
            s[2 * k] = _mm256_fmadd_pd(low, low, s[2 * k]);  // products are exact: fused or not, the same bits
            s[2 * k + 1] = _mm256_fmadd_pd(high, high, s[2 * k + 1]);
        }
    for (std::size_t k = 0; k < eights; ++k) s[k] = _mm256_add_pd(s[k], s[k + eights]);
    double all[4];
    _mm256_storeu_pd(all, _mm256_add_pd(_mm256_add_pd(s[0], s[1]), _mm256_add_pd(s[2], s[3])));
    WordFacts f;
    f.bits = across(bits, [](__m128i a, __m128i b) ULPGATE_AVX2 { return _mm_or_si128(a, b); });
    f.top = across(top, [](__m128i a, __m128i b) ULPGATE_AVX2 { return _mm_max_epu32(a, b); });
    const std::uint32_t lowest = across(least, [](__m128i a, __m128i b) ULPGATE_AVX2 { return _mm_min_epu32(a, b); });
    if (lowest == 0) f.zeros = word_facts(x.first(i)).zeros;
    double tail = 0;
    for (; i < x.size(); ++i) {
        f.add(x[i]);
        tail += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    sum = ((all[0] + all[1]) + (all[2] + all[3])) + tail;
    return f;
}
#endif

}  // namespace

RowFacts row_facts(std::span<const float> x) { return (has_avx2() ? word_facts_avx2(x) : word_facts(x)).row(x.size()); }

RowFacts row_facts(std::span<const float> x, double& sum) {
#if defined(__x86_64__)
    if (has_avx2()) return facts_and_sum(x, sum).row(x.size());
#endif
    sum = quick_sum_of_squares(x);
    return row_facts(x);
}

bool integer_row(std::span<const float> x, double sum) {
    int low = 128;
    for (const float v : x)
        if (const auto w = abs_word(v); w) {
            low = std::min(low, lowest_bit(w));
            const auto limit = static_cast<std::uint64_t>(24 + 2 * low + 1023) << 52;  // 2^(24 + 2 low), low from -149 to 127
            if (!(sum * (1 + 0x1p-49) < std::bit_cast<double>(limit))) return false;
        }
    return true;
}

double bound_by_count(double u, std::int64_t additions) {
    return additions <= 0 ? 0 : std::expm1(static_cast<double>(additions) * std::log1p(u)) * (1 + 0x1p-40);
}

double bound_by_data(std::span<const float> x, std::int64_t nonzero, double sum) {
    if (nonzero < 2) return 0;
    static thread_local Bins bins;
    std::uint32_t lowest = inf_word, highest = 0;
    for (const float v : x) {
        const auto w = abs_word(v);
        if (w == 0) continue;
        const auto b = w >> bin_shift;
        ++bins.count[b];
        bins.sum[b] += static_cast<double>(v) * static_cast<double>(v);
        lowest = std::min(lowest, b);
        highest = std::max(highest, b);
    }
    // Inside a bin the sum of the largest is bounded by its upper edge, and by the bin's sum: C_m from above. The
    // growth covers rounded squares (one u), every addition below the node (1 + 2 n u) and the sums here.
    const double n = static_cast<double>(nonzero);
    const double growth = (1 + 2 * n * unit32) * (1 + unit32) * (1 + 0x1p-30), underflow = n * tiny32;
    double units = 0, before = 0, first = 0;
    for (auto b = highest + 1; b-- > lowest;) {
        if (!bins.count[b]) continue;
        const double edge = std::bit_cast<float>((b + 1) << bin_shift), square = edge * edge;
        const double unit_of_all = ufp((before + bins.sum[b]) * growth + underflow);
        for (std::uint32_t j = 1; j <= bins.count[b];) {  // all whose C_m lies in one binade at a time; the next begins early, if anything
            const double c = before + std::min(static_cast<double>(j) * square, bins.sum[b]);
            const double unit = ufp(c * growth + underflow);
            const double until = ((2 * unit - underflow) / growth - before) / square * (1 - 0x1p-40);
            const double last = unit == unit_of_all ? bins.count[b] : std::clamp(std::floor(until), static_cast<double>(j), static_cast<double>(bins.count[b]));
            if (first == 0) first = unit;
            units += unit * (last - j + 1);
            j = static_cast<std::uint32_t>(last) + 1;
        }
        before += bins.sum[b];
        bins.count[b] = 0;
        bins.sum[b] = 0;
    }
    return unit32 * (units - first) / sum * (1 + 0x1p-30);
}

double least_bound_by_data(std::int64_t nonzero) {
    if (nonzero < 2) return 0;
    const double n = static_cast<double>(nonzero);
    return unit32 * (n * (n + 1) / 2 - 1) / (2 * n) * (1 - 0x1p-40);
}

}  // namespace ulpgate
