// Sixteen f32 lanes in AVX-512 F, BW, VL instructions, with bf16, fp16 and f32 in memory.
// Not AVX-512 BF16: its conversion flushes subnormals.
#pragma once
#if defined(__GNUC__) && !defined(__clang__)
// GCC bug 105593: the undefined vectors of its own header warn where they are inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif

#include "impls/kernel/element.hpp"

#define VECTOR_TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define VECTOR_FUNCTION VECTOR_TARGET __attribute__((always_inline)) inline

namespace kernel::avx512 {

struct Vector {
    static constexpr int lanes = 16;
    static constexpr int tile_tokens = 6;  // of a product of matrices: impls/kernel/gemm.hpp
    __m512 v;

    VECTOR_FUNCTION static Vector zero() { return {_mm512_setzero_ps()}; }
    VECTOR_FUNCTION static Vector broadcast(float f) { return {_mm512_set1_ps(f)}; }

    VECTOR_FUNCTION static Vector load(const Bf16* p) { return from_bf16(_mm256_loadu_si256(words(p))); }
    VECTOR_FUNCTION static Vector load(const Fp16* p) {
        return {_mm512_cvtph_ps(_mm256_loadu_si256(words(p)))};
    }
    VECTOR_FUNCTION static Vector load(const F32* p) { return {_mm512_loadu_ps(&p->value)}; }
    VECTOR_FUNCTION static Vector load(const E4m3* p) { return from_e4m3(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))); }

    VECTOR_FUNCTION void store(Bf16* p) const { _mm256_storeu_si256(words(p), to_bf16()); }
    VECTOR_FUNCTION void store(Fp16* p) const { _mm256_storeu_si256(words(p), to_fp16()); }
    VECTOR_FUNCTION void store(F32* p) const { _mm512_storeu_ps(&p->value, v); }

    // The first n < lanes elements: masked moves touch no other memory.
    VECTOR_FUNCTION static Vector load(const Bf16* p, int n) {
        return from_bf16(_mm256_maskz_loadu_epi16(first(n), p));
    }
    VECTOR_FUNCTION static Vector load(const Fp16* p, int n) {
        return {_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first(n), p))};
    }
    VECTOR_FUNCTION static Vector load(const F32* p, int n) { return {_mm512_maskz_loadu_ps(first(n), p)}; }
    VECTOR_FUNCTION static Vector load(const E4m3* p, int n) { return from_e4m3(_mm_maskz_loadu_epi8(first(n), p)); }

    VECTOR_FUNCTION void store(Bf16* p, int n) const { _mm256_mask_storeu_epi16(p, first(n), to_bf16()); }
    VECTOR_FUNCTION void store(Fp16* p, int n) const { _mm256_mask_storeu_epi16(p, first(n), to_fp16()); }
    VECTOR_FUNCTION void store(F32* p, int n) const { _mm512_mask_storeu_ps(p, first(n), v); }

    template <class T>
    VECTOR_FUNCTION Vector rounded_to() const;

    VECTOR_FUNCTION friend Vector operator+(Vector a, Vector b) { return {_mm512_add_ps(a.v, b.v)}; }
    VECTOR_FUNCTION friend Vector operator*(Vector a, Vector b) { return {_mm512_mul_ps(a.v, b.v)}; }
    VECTOR_FUNCTION friend Vector fma(Vector a, Vector b, Vector c) {
        return {_mm512_fmadd_ps(a.v, b.v, c.v)};
    }

    // Lane i takes in lane i + 8, then i + 4, then i + 2, then i + 1.
    VECTOR_FUNCTION float halved_sum() const {
        const __m512 upper = _mm512_shuffle_f32x4(v, v, _MM_SHUFFLE(3, 2, 3, 2));
        const __m256 eight = _mm512_castps512_ps256(_mm512_add_ps(v, upper));
        const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
    }

  private:
    VECTOR_FUNCTION static __mmask16 first(int n) { return static_cast<__mmask16>((1u << n) - 1); }
    template <class T>
    VECTOR_FUNCTION static const __m256i* words(const T* p) {
        return reinterpret_cast<const __m256i*>(p);
    }
    template <class T>
    VECTOR_FUNCTION static __m256i* words(T* p) {
        return reinterpret_cast<__m256i*>(p);
    }

    // An e4m3 code moved into fp16's places is 2^-8 of its value; S.1111.111 is its NaN.
    VECTOR_FUNCTION static Vector from_e4m3(__m128i codes) {
        const __m256i b = _mm256_cvtepu8_epi16(codes);
        const __m256i magnitude = _mm256_and_si256(b, _mm256_set1_epi16(0x7f)), sign = _mm256_slli_epi16(_mm256_srli_epi16(b, 7), 15);
        const __m256i nan = _mm256_and_si256(_mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(0x7f)), _mm256_set1_epi16(0x7e00));
        const __m256i half = _mm256_or_si256(_mm256_or_si256(sign, nan), _mm256_slli_epi16(magnitude, 7));
        return {_mm512_mul_ps(_mm512_cvtph_ps(half), _mm512_set1_ps(0x1p8f))};
    }
    VECTOR_FUNCTION static Vector from_bf16(__m256i w) {
        return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(w), 16))};
    }
    VECTOR_FUNCTION __m256i to_bf16() const {
        return _mm512_cvtepi32_epi16(_mm512_srli_epi32(bf16_bits(), 16));
    }
    VECTOR_FUNCTION __m256i to_fp16() const { return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT); }

    // To nearest, ties to even, in the upper half of each lane: add just under half an ulp, one more where
    // the kept part is odd. A NaN would carry into infinity: it becomes the quiet NaN.
    VECTOR_FUNCTION __m512i bf16_bits() const {
        const __m512i u = _mm512_castps_si512(v);
        const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
        const __m512i nearest = _mm512_add_epi32(u, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
        const __mmask16 is_nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
        return _mm512_mask_mov_epi32(nearest, is_nan, _mm512_set1_epi32(0x7fc00000));
    }
};

template <>
VECTOR_FUNCTION Vector Vector::rounded_to<Bf16>() const {
    return {
        _mm512_castsi512_ps(_mm512_and_si512(bf16_bits(), _mm512_set1_epi32(static_cast<int>(0xffff0000u))))};
}
template <>
VECTOR_FUNCTION Vector Vector::rounded_to<Fp16>() const {
    return {_mm512_cvtph_ps(to_fp16())};
}
template <>
VECTOR_FUNCTION Vector Vector::rounded_to<F32>() const {
    return *this;
}

}  // namespace kernel::avx512
