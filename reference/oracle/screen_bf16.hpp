// bf16, 16 elements a vector. A midpoint is remainder 0x8000 of the f32 word: after adding 0x8000 + above, remainders of
// undecided elements are at most below + above, and one 16-bit minimum a vector finds them.
#pragma once
#include "reference/oracle/screen_vector.hpp"

namespace ulpgate::screen {

template <Oracle oracle>
struct Lanes<Bf16, oracle> {
    static constexpr std::size_t block = 128;
    struct Constants {
        __m256 r;
        __m256i half, most;
    };
    SCREEN_INLINE static Constants constants(const Scale& s) {
        return {_mm256_set1_ps(s.r), all(0x8000 + s.above), halves(s.below + s.above, 0)};
    }

    // 16 words of y. e, o: their f32 words before the last rounding of n or y, shifted as described.
    SCREEN_INLINE static __m256i vector(const Word16* x, const Word16* w, const Constants& k, __m256i& e, __m256i& o) {
        const __m256i vx = load(x), vw = load(w);
        if constexpr (oracle == Oracle::ideal) {
            e = _mm256_add_epi32(bits(_mm256_mul_ps(_mm256_mul_ps(even(vx), even(vw)), k.r)), k.half);
            o = _mm256_add_epi32(bits(_mm256_mul_ps(_mm256_mul_ps(odd(vx), odd(vw)), k.r)), k.half);
            return join_high(e, o);
        } else {
            const __m256i keep = all(0xffff0000u), half = all(0x8000);
            e = _mm256_add_epi32(bits(_mm256_mul_ps(even(vx), k.r)), k.half);
            o = _mm256_add_epi32(bits(_mm256_mul_ps(odd(vx), k.r)), k.half);
            // w t is exact, 16 bits, or raises UE or OE. Half up; then a tie's last bit is cleared, which makes it even.
            const __m256i ye = _mm256_add_epi32(bits(_mm256_mul_ps(even(vw), floats(_mm256_and_si256(e, keep)))), half);
            const __m256i yo = _mm256_add_epi32(bits(_mm256_mul_ps(odd(vw), floats(_mm256_and_si256(o, keep)))), half);
            const __m256i rest = _mm256_blend_epi16(ye, _mm256_slli_epi32(yo, 16), 0xaa);
            const __m256i tie = _mm256_srli_epi16(_mm256_cmpeq_epi16(rest, _mm256_setzero_si256()), 15);
            return _mm256_andnot_si256(tie, join_high(ye, yo));
        }
    }
    SCREEN_INLINE static __m256i near(__m256i least, __m256i most) { return _mm256_cmpeq_epi16(_mm256_min_epu16(least, most), least); }

    SCREEN_INLINE static bool block_undecided(const Word16* x, const Word16* w, Word16* y, const Constants& k) {
        __m256i even_least = _mm256_set1_epi32(-1), odd_least = even_least;
        SCREEN_UNROLL(8)
        for (std::size_t j = 0; j < block; j += 16) {
            __m256i e, o;
            store(y + j, vector(x + j, w + j, k, e, o));
            even_least = _mm256_min_epu16(even_least, e);
            odd_least = _mm256_min_epu16(odd_least, o);
            SCREEN_KEEP(even_least);
            SCREEN_KEEP(odd_least);
        }
        return !_mm256_testz_si256(near(_mm256_min_epu16(even_least, odd_least), k.most), all(0xffff));
    }

    SCREEN_INLINE static std::uint32_t* list_undecided(const Word16* x, const Word16* w, Word16*, const Constants& k, std::size_t at,
                                                       std::uint32_t* list) {
        for (std::size_t j = 0; j < block; j += 16) {
            __m256i e, o;
            vector(x + j, w + j, k, e, o);
            const auto even_bytes = static_cast<std::uint32_t>(_mm256_movemask_epi8(near(e, k.most)));
            const auto odd_bytes = static_cast<std::uint32_t>(_mm256_movemask_epi8(near(o, k.most)));
            // element 2q at bit 4q, element 2q + 1 at bit 4q + 2
            for (std::uint32_t m = (even_bytes & 0x11111111) | (odd_bytes & 0x11111111) << 2; m; m &= m - 1)
                *list++ = static_cast<std::uint32_t>(at + j + static_cast<std::size_t>(__builtin_ctz(m)) / 2);
        }
        return list;
    }
};

}  // namespace ulpgate::screen
