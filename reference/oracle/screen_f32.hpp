// f32, 8 elements a vector. r = rh + rl with rl about 2^-22 r: then v = q rl + ql r has q's sign and at least 2^-23 |y|, and
// the ends of y's bracket are q rh + v and q rh + (v with N taken off its bits). Decided where both round alike.
#pragma once
#include "reference/oracle/screen_vector.hpp"

namespace ulpgate::screen {

template <Oracle oracle>
struct Lanes<F32, oracle> {
    static constexpr std::size_t block = 128, ahead = 4;  // elements; vectors begun before the first is tested
    struct Constants {
        __m256 rh, rl, r;
        __m256i n;
    };
    SCREEN_INLINE static Constants constants(const Scale& s) {
        return {_mm256_set1_ps(s.r), _mm256_set1_ps(s.low), _mm256_set1_ps(s.rounded), all(s.below)};
    }

    SCREEN_INLINE static void begin(const Word32* x, const Word32* w, const Constants& k, __m256& q, __m256& v) {
        const __m256 vx = load_floats(x);
        if constexpr (oracle == Oracle::ideal) {
            const __m256 vw = load_floats(w);
            q = _mm256_mul_ps(vx, vw);
            v = _mm256_fmadd_ps(q, k.rl, _mm256_mul_ps(_mm256_fmsub_ps(vx, vw, q), k.r));
        } else {
            q = vx;
            v = _mm256_mul_ps(q, k.rl);
        }
    }
    SCREEN_INLINE static __m256 finish(const Word32* w, const Constants& k, __m256 q, __m256 v, __m256i& differ) {
        __m256i lower = _mm256_sub_epi32(bits(v), k.n);
        SCREEN_IN_ORDER(lower);  // before the upper end, which may then overwrite v
        const __m256 a = _mm256_fmadd_ps(q, k.rh, v), b = _mm256_fmadd_ps(q, k.rh, floats(lower));
        differ = _mm256_xor_si256(bits(a), bits(b));
        return oracle == Oracle::ideal ? a : _mm256_mul_ps(a, load_floats(w));
    }

    SCREEN_INLINE static bool block_undecided(const Word32* x, const Word32* w, Word32* y, const Constants& k) {
        __m256i some = _mm256_setzero_si256();
        __m256 q[block / 8], v[block / 8];
        SCREEN_UNROLL(32)
        for (std::size_t j = 0; j < block / 8 + ahead; ++j) {
            if (j < block / 8) {
                begin(x + 8 * j, w + 8 * j, k, q[j], v[j]);
                SCREEN_IN_ORDER(v[j]);
            }
            if (j >= ahead) {
                __m256i differ;
                const std::size_t i = j - ahead;
                store(y + 8 * i, bits(finish(w + 8 * i, k, q[i], v[i], differ)));
                some = _mm256_or_si256(some, differ);
                SCREEN_IN_ORDER(some);
            }
        }
        return !_mm256_testz_si256(some, some);
    }

    SCREEN_INLINE static std::uint32_t* list_undecided(const Word32* x, const Word32* w, Word32* y, const Constants& k, std::size_t at,
                                                       std::uint32_t* list) {
        const __m256 zero = _mm256_setzero_ps();
        for (std::size_t j = 0; j < block; j += 8) {
            __m256 q, v;
            __m256i differ;
            begin(x + j, w + j, k, q, v);
            finish(w + j, k, q, v, differ);
            const __m256i same = _mm256_cmpeq_epi32(differ, _mm256_setzero_si256());
            // A zero factor takes N off a zero's bits and seems undecided: its result is a zero with the product's sign.
            const __m256 vx = load_floats(x + j), vw = load_floats(w + j);
            const __m256 zeros = _mm256_or_ps(_mm256_cmp_ps(vx, zero, _CMP_EQ_OQ), _mm256_cmp_ps(vw, zero, _CMP_EQ_OQ));
            _mm256_maskstore_epi32(reinterpret_cast<int*>(y + j), bits(zeros), bits(_mm256_mul_ps(vx, vw)));
            const int decided = _mm256_movemask_ps(floats(same)) | _mm256_movemask_ps(zeros);
            for (auto m = static_cast<std::uint32_t>(~decided & 0xff); m; m &= m - 1)
                *list++ = static_cast<std::uint32_t>(at + j + static_cast<std::size_t>(__builtin_ctz(m)));
        }
        return list;
    }
};

}  // namespace ulpgate::screen
