// Eight f32 lanes in AVX2, FMA and F16C instructions, with bf16, fp16 and f32 in memory.
#pragma once
#include <immintrin.h>

#include <cstring>

#include "impls/kernel/element.hpp"

#define VECTOR_TARGET __attribute__((target("avx2,fma,f16c")))
#define VECTOR_FUNCTION VECTOR_TARGET __attribute__((always_inline)) inline

namespace kernel::avx2 {

struct Vector {
    static constexpr int lanes = 8;
    static constexpr int tile_tokens = 3;  // of a product of matrices: impls/kernel/gemm.hpp
    __m256 v;

    VECTOR_FUNCTION static Vector zero() { return {_mm256_setzero_ps()}; }
    VECTOR_FUNCTION static Vector broadcast(float f) { return {_mm256_set1_ps(f)}; }

    VECTOR_FUNCTION static Vector load(const Bf16* p) {
        const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(words), 16))};
    }
    VECTOR_FUNCTION static Vector load(const Fp16* p) {
        return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
    }
    VECTOR_FUNCTION static Vector load(const F32* p) { return {_mm256_loadu_ps(&p->value)}; }
    // An e4m3 code moved into fp16's places is 2^-8 of its value; S.1111.111 is its NaN.
    VECTOR_FUNCTION static Vector load(const E4m3* p) {
        const __m128i b = _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        const __m128i magnitude = _mm_and_si128(b, _mm_set1_epi16(0x7f)), sign = _mm_slli_epi16(_mm_srli_epi16(b, 7), 15);
        const __m128i nan = _mm_and_si128(_mm_cmpeq_epi16(magnitude, _mm_set1_epi16(0x7f)), _mm_set1_epi16(0x7e00));
        const __m128i half = _mm_or_si128(_mm_or_si128(sign, nan), _mm_slli_epi16(magnitude, 7));
        return {_mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(0x1p8f))};
    }

    VECTOR_FUNCTION void store(Bf16* p) const {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), low_halves(_mm256_srli_epi32(bf16_bits(), 16)));
    }
    VECTOR_FUNCTION void store(Fp16* p) const {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
    }
    VECTOR_FUNCTION void store(F32* p) const { _mm256_storeu_ps(&p->value, v); }

    // Past the caches, without reading the lines first. p is aligned to the vector's bytes in memory.
    VECTOR_FUNCTION void stream(Bf16* p) const {
        _mm_stream_si128(reinterpret_cast<__m128i*>(p), low_halves(_mm256_srli_epi32(bf16_bits(), 16)));
    }
    VECTOR_FUNCTION void stream(Fp16* p) const {
        _mm_stream_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
    }
    VECTOR_FUNCTION void stream(F32* p) const { _mm256_stream_ps(&p->value, v); }
    VECTOR_FUNCTION static void end_streams() { _mm_sfence(); }

    // Sixteen bf16 as their even and their odd elements, which crosses no lane; merged: in the order of memory again.
    VECTOR_FUNCTION static void split(const Bf16* p, Vector& even, Vector& odd) {
        const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        even.v = _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
        odd.v = _mm256_castsi256_ps(_mm256_and_si256(words, high_halves()));
    }
    VECTOR_FUNCTION static void merge(Vector& even, Vector& odd) {
        const __m256 low = _mm256_unpacklo_ps(even.v, odd.v), high = _mm256_unpackhi_ps(even.v, odd.v);
        even.v = _mm256_permute2f128_ps(low, high, 0x20);
        odd.v = _mm256_permute2f128_ps(low, high, 0x31);
    }
    // A NaN that only bf16 values went into has no bits below them and keeps its own: no test for one.
    VECTOR_FUNCTION Vector bf16_of_bf16s() const { return {_mm256_castsi256_ps(_mm256_and_si256(rounded_bits(), high_halves()))}; }
    template <bool streaming>
    VECTOR_FUNCTION static void join(Vector even, Vector odd, Bf16* p) {
        const __m256i words = _mm256_blend_epi16(_mm256_srli_epi32(even.rounded_bits(), 16), odd.rounded_bits(), 0xaa);
        if constexpr (streaming) _mm256_stream_si256(reinterpret_cast<__m256i*>(p), words);
        else _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), words);
    }

    // The first n < lanes elements through a buffer: AVX2 has no masked moves of 16-bit elements.
    template <class T>
    VECTOR_FUNCTION static Vector load(const T* p, int n) {
        T whole[lanes] = {};
        std::memcpy(whole, p, static_cast<std::size_t>(n) * sizeof(T));
        return load(whole);
    }
    template <class T>
    VECTOR_FUNCTION void store(T* p, int n) const {
        T whole[lanes];
        store(whole);
        std::memcpy(p, whole, static_cast<std::size_t>(n) * sizeof(T));
    }

    template <class T>
    VECTOR_FUNCTION Vector rounded_to() const;

    VECTOR_FUNCTION friend Vector operator+(Vector a, Vector b) { return {_mm256_add_ps(a.v, b.v)}; }
    VECTOR_FUNCTION friend Vector operator*(Vector a, Vector b) { return {_mm256_mul_ps(a.v, b.v)}; }
    VECTOR_FUNCTION friend Vector fma(Vector a, Vector b, Vector c) {
        return {_mm256_fmadd_ps(a.v, b.v, c.v)};
    }

    // Lane i takes in lane i + 4, then i + 2, then i + 1.
    VECTOR_FUNCTION float halved_sum() const {
        const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
        const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
    }

  private:
    // To nearest, ties to even, in the upper half of each lane: add just under half an ulp, one more where
    // the kept part is odd. A NaN would carry into infinity: it becomes the quiet NaN.
    VECTOR_FUNCTION __m256i bf16_bits() const {
        const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        return _mm256_blendv_epi8(rounded_bits(), _mm256_set1_epi32(0x7fc00000), is_nan);
    }
    VECTOR_FUNCTION __m256i rounded_bits() const {
        const __m256i u = _mm256_castps_si256(v);
        const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
        return _mm256_add_epi32(u, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    }
    VECTOR_FUNCTION static __m256i high_halves() { return _mm256_set1_epi32(static_cast<int>(0xffff0000u)); }
    // Lanes below 2^16 as eight 16-bit words.
    VECTOR_FUNCTION static __m128i low_halves(__m256i u) {
        const __m256i packed = _mm256_packus_epi32(u, u);
        return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, _MM_SHUFFLE(3, 1, 2, 0)));
    }
};

template <>
VECTOR_FUNCTION Vector Vector::rounded_to<Bf16>() const {
    return {
        _mm256_castsi256_ps(_mm256_and_si256(bf16_bits(), _mm256_set1_epi32(static_cast<int>(0xffff0000u))))};
}
template <>
VECTOR_FUNCTION Vector Vector::rounded_to<Fp16>() const {
    return {_mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))};
}
template <>
VECTOR_FUNCTION Vector Vector::rounded_to<F32>() const {
    return *this;
}

}  // namespace kernel::avx2
