// fp16, 8 elements a vector. The f32 word shifted left by 3 holds the 13 bits that are rounded away in its low half, where a
// midpoint is -2^15 as a signed number, and the exponent's low six bits on top of its high half: exponents -14..15 read
// -15..14, and -31..-15 (subnormal results, undecided) read less. Below 2^-31 a result is zero, at 2^16 and above infinite:
// the conversion says so. One signed 16-bit minimum a vector tests both halves.
#pragma once
#include "reference/oracle/screen_vector.hpp"

namespace ulpgate::screen {

template <Oracle oracle>
struct Lanes<Fp16, oracle> {
    static constexpr std::size_t block = 64;
    struct Constants {
        __m256 r;
        __m256i above, least;
    };
    SCREEN_INLINE static Constants constants(const Scale& s) {
        return {_mm256_set1_ps(s.r), all(s.above),
                halves(0x8000 + ((s.below + s.above) << 3) + 1, static_cast<std::uint32_t>(-15 * 1024))};
    }

    SCREEN_INLINE static __m256 widen(const Word16* p) { return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))); }
    SCREEN_INLINE static __m128i vector(const Word16* x, const Word16* w, const Constants& k, __m256i& shifted) {
        const __m256 vx = widen(x), vw = widen(w);
        if constexpr (oracle == Oracle::ideal) {
            const __m256 y = _mm256_mul_ps(_mm256_mul_ps(vx, vw), k.r);
            shifted = _mm256_slli_epi32(_mm256_add_epi32(bits(y), k.above), 3);
            return _mm256_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT);
        } else {
            const __m256i n = _mm256_add_epi32(bits(_mm256_mul_ps(vx, k.r)), k.above);
            shifted = _mm256_slli_epi32(n, 3);
            const __m256 t = floats(_mm256_and_si256(_mm256_add_epi32(n, all(0x1000)), all(0xffffe000u)));
            return _mm256_cvtps_ph(_mm256_mul_ps(vw, t), _MM_FROUND_TO_NEAREST_INT);  // w t is exact: 22 bits
        }
    }
    SCREEN_INLINE static __m256i near(__m256i v, __m256i least) { return _mm256_cmpgt_epi16(least, v); }

    SCREEN_INLINE static bool block_undecided(const Word16* x, const Word16* w, Word16* y, const Constants& k) {
        __m256i a_least = halves(0x7fff, 0x7fff), b_least = a_least;
        SCREEN_UNROLL(8)
        for (std::size_t j = 0; j < block; j += 16) {
            __m256i a, b;
            _mm_storeu_si128(reinterpret_cast<__m128i*>(y + j), vector(x + j, w + j, k, a));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(y + j + 8), vector(x + j + 8, w + j + 8, k, b));
            a_least = _mm256_min_epi16(a_least, a);
            b_least = _mm256_min_epi16(b_least, b);
            SCREEN_KEEP(a_least);
            SCREEN_KEEP(b_least);
        }
        const __m256i some = near(_mm256_min_epi16(a_least, b_least), k.least);
        return !_mm256_testz_si256(some, some);
    }

    SCREEN_INLINE static std::uint32_t* list_undecided(const Word16* x, const Word16* w, Word16*, const Constants& k, std::size_t at,
                                                       std::uint32_t* list) {
        for (std::size_t j = 0; j < block; j += 8) {
            __m256i shifted;
            vector(x + j, w + j, k, shifted);
            const auto bytes = static_cast<std::uint32_t>(_mm256_movemask_epi8(near(shifted, k.least)));
            for (std::uint32_t m = (bytes | bytes >> 2) & 0x11111111; m; m &= m - 1)
                *list++ = static_cast<std::uint32_t>(at + j + static_cast<std::size_t>(__builtin_ctz(m)) / 4);
        }
        return list;
    }
};

}  // namespace ulpgate::screen
