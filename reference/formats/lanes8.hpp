// Eight f32 lanes of AVX2 rounded to a format as Format::round does, bit for bit. Written in instructions: clang takes vector
// extensions apart where they widen and narrow words.
#pragma once
#if defined(__x86_64__)
#include <immintrin.h>

#include "reference/formats/format.hpp"
#include "reference/simd/dispatch.hpp"

#define ULPGATE_AVX2_INLINE ULPGATE_AVX2 inline __attribute__((always_inline))

namespace ulpgate::lanes8 {

// Every NaN becomes the quiet positive one.
ULPGATE_AVX2_INLINE __m256 quiet(__m256 v) {
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    return _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

template <class F>
struct Lanes;  // round: as Format::round, but that a NaN may be any NaN

template <>
struct Lanes<F32> {
    ULPGATE_AVX2_INLINE static __m256 round(__m256 v) { return v; }
};

template <>
struct Lanes<Bf16> {
    // The upper halves hold the words, the lower ones what is left of the bits.
    ULPGATE_AVX2_INLINE static __m256i rounded_bits(__m256 v) {
        const __m256i b = _mm256_castps_si256(quiet(v)), odd = _mm256_and_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(1));
        return _mm256_add_epi32(b, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    }
    ULPGATE_AVX2_INLINE static __m256 round(__m256 v) {
        return _mm256_castsi256_ps(_mm256_and_si256(rounded_bits(v), _mm256_set1_epi32(static_cast<int>(0xffff0000u))));
    }
    ULPGATE_AVX2_INLINE static __m128i encode(__m256 v) {
        const __m256i w = _mm256_srli_epi32(rounded_bits(v), 16);
        return _mm_packus_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
    }
    ULPGATE_AVX2_INLINE static __m256 decode(__m128i w) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(w), 16)); }
};

// The processor's own conversions, rounding given by the instruction. They keep a NaN's sign and payload. FTZ and DAZ do not
// reach them where it would show. No float comparison of a converted half: clang makes eight of halves of it.
template <>
struct Lanes<Fp16> {
    ULPGATE_AVX2_INLINE static __m256 round(__m256 v) { return _mm256_cvtph_ps(_mm256_cvtps_ph(v, 0)); }
    ULPGATE_AVX2_INLINE static __m128i encode(__m256 v) { return _mm256_cvtps_ph(quiet(v), 0); }
    ULPGATE_AVX2_INLINE static __m256 decode(__m128i w) {  // NaN: its sign and the quiet bit
        const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(w, _mm_set1_epi16(0x7fff)), _mm_set1_epi16(0x7c00));
        const __m128i quieted = _mm_or_si128(_mm_and_si128(w, _mm_set1_epi16(-0x8000)), _mm_set1_epi16(0x7e00));
        return _mm256_cvtph_ps(_mm_blendv_epi8(w, quieted, nan));
    }
};

}  // namespace ulpgate::lanes8
#endif
