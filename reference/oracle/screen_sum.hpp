// S in f64 by FMA, 32 partial sums: see sum_height in screen.hpp. Squares are exact in double.
#pragma once
#include "reference/oracle/screen_vector.hpp"

namespace ulpgate::screen {

SCREEN_INLINE void add_squares(const Word32* x, __m256d (&sum)[8]) {
    SCREEN_UNROLL(8)
    for (std::size_t k = 0; k < 8; ++k) {
        const __m256d v = _mm256_cvtps_pd(_mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + 4 * k))));
        sum[k] = _mm256_fmadd_pd(v, v, sum[k]);
    }
}
SCREEN_INLINE void add_squares_bf16(const Word16* x, __m256d (&sum)[8]) {
    SCREEN_UNROLL(2)
    for (std::size_t k = 0; k < 2; ++k) {
        const __m256i words = load(x + 16 * k);
        const __m256 e = even(words), o = odd(words);
        const __m256d a = low_doubles(e), b = high_doubles(e), c = low_doubles(o), d = high_doubles(o);
        sum[4 * k] = _mm256_fmadd_pd(a, a, sum[4 * k]);
        sum[4 * k + 1] = _mm256_fmadd_pd(b, b, sum[4 * k + 1]);
        sum[4 * k + 2] = _mm256_fmadd_pd(c, c, sum[4 * k + 2]);
        sum[4 * k + 3] = _mm256_fmadd_pd(d, d, sum[4 * k + 3]);
    }
}
SCREEN_INLINE void add_squares_fp16(const Word16* x, __m256d (&sum)[8]) {
    SCREEN_UNROLL(8)
    for (std::size_t k = 0; k < 8; ++k) {
        const __m256d v = _mm256_cvtps_pd(_mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + 4 * k))));
        sum[k] = _mm256_fmadd_pd(v, v, sum[k]);
    }
}

template <class F>
SCREEN_NOINLINE double sum_of_squares(const typename F::Word* x, std::size_t d) {
    __m256d sum[8];
    for (auto& v : sum) v = _mm256_setzero_pd();
    std::size_t i = 0;
    for (; i + 32 <= d; i += 32) {
        if constexpr (F::bits == 32) add_squares(x + i, sum);
        else if constexpr (F::precision == 8) add_squares_bf16(x + i, sum);
        else add_squares_fp16(x + i, sum);
    }
    for (int k = 0; k < 4; ++k) sum[k] = _mm256_add_pd(sum[k], sum[k + 4]);
    sum[0] = _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3]));
    alignas(32) double lane[4];
    _mm256_store_pd(lane, sum[0]);
    double tail = 0;
    for (; i < d; ++i) {
        const double v = F::decode(x[i]);
        tail += v * v;
    }
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + tail;
}

}  // namespace ulpgate::screen
