// What the AVX2 screens share. Only for screen_avx2.cpp.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "reference/oracle/screen.hpp"
#include "reference/simd/dispatch.hpp"

#define SCREEN_INLINE ULPGATE_AVX2 inline __attribute__((always_inline))
#define SCREEN_NOINLINE ULPGATE_AVX2 __attribute__((noinline))
#define SCREEN_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define SCREEN_UNROLL(n) SCREEN_PRAGMA(clang loop unroll_count(n))
#else
#define SCREEN_UNROLL(n) SCREEN_PRAGMA(GCC unroll n)
#endif
// Keeps the compiler from gathering all accumulations at a block's end, which spills what lies between.
#define SCREEN_KEEP(v) asm("" : "+x"(v))
#define SCREEN_IN_ORDER(v) asm volatile("" : "+x"(v))  // and in this order

namespace ulpgate::screen {

using Word16 = std::uint16_t;
using Word32 = std::uint32_t;

SCREEN_INLINE __m256i bits(__m256 v) { return _mm256_castps_si256(v); }
SCREEN_INLINE __m256 floats(__m256i v) { return _mm256_castsi256_ps(v); }
SCREEN_INLINE __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
SCREEN_INLINE void store(void* p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
SCREEN_INLINE __m256 load_floats(const Word32* p) { return floats(load(p)); }
SCREEN_INLINE __m256i all(std::uint32_t v) { return _mm256_set1_epi32(static_cast<int>(v)); }
SCREEN_INLINE __m256i halves(std::uint32_t low, std::uint32_t high) { return all((low & 0xffff) | high << 16); }
// bf16: the even and the odd elements as f32, no lane crossed; and back.
SCREEN_INLINE __m256 even(__m256i v) { return floats(_mm256_slli_epi32(v, 16)); }
SCREEN_INLINE __m256 odd(__m256i v) { return floats(_mm256_and_si256(v, all(0xffff0000u))); }
SCREEN_INLINE __m256i join_high(__m256i e, __m256i o) { return _mm256_blend_epi16(_mm256_srli_epi32(e, 16), o, 0xaa); }
SCREEN_INLINE __m256d low_doubles(__m256 v) { return _mm256_cvtps_pd(_mm256_castps256_ps128(v)); }
SCREEN_INLINE __m256d high_doubles(__m256 v) { return _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)); }

template <class F, Oracle oracle>
struct Lanes;  // block: elements; Constants; constants(Scale); block_undecided(x, w, y, k); list_undecided(...)

}  // namespace ulpgate::screen
