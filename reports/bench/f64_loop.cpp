#include "reports/bench/f64_loop.hpp"

#include <immintrin.h>

#include <algorithm>
#include <cmath>

#include "reference/simd/dispatch.hpp"

#define LOOP ULPGATE_AVX2 inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL(n) _Pragma("clang loop unroll_count(4)")
#else
#define UNROLL(n) _Pragma("GCC unroll 4")
#endif

namespace ulpgate::bench {
namespace {

using Word16 = std::uint16_t;
using Word32 = std::uint32_t;

LOOP __m256i bits(__m256 v) { return _mm256_castps_si256(v); }
LOOP __m256 floats(__m256i v) { return _mm256_castsi256_ps(v); }
LOOP __m256i all(std::uint32_t v) { return _mm256_set1_epi32(static_cast<int>(v)); }
LOOP __m256i load16(const Word16* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
LOOP __m256 even(__m256i v) { return floats(_mm256_slli_epi32(v, 16)); }
LOOP __m256 odd(__m256i v) { return floats(_mm256_and_si256(v, all(0xffff0000u))); }
LOOP __m256i join(__m256i e, __m256i o) { return _mm256_blend_epi16(_mm256_srli_epi32(e, 16), o, 0xaa); }
LOOP __m256d lower(__m256 v) { return _mm256_cvtps_pd(_mm256_castps256_ps128(v)); }
LOOP __m256d upper(__m256 v) { return _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)); }
LOOP __m256 narrow(__m256d a, __m256d b) { return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1); }
LOOP __m256 times(__m256 q, __m256d r) { return narrow(_mm256_mul_pd(lower(q), r), _mm256_mul_pd(upper(q), r)); }
// The bf16 of a float in the upper half, to nearest even; and of an exact product, by one multiplication less.
LOOP __m256i nearest(__m256 y) {
    const __m256i b = bits(y);
    return _mm256_add_epi32(_mm256_add_epi32(b, all(0x7fff)), _mm256_and_si256(_mm256_srli_epi32(b, 16), all(1)));
}
LOOP __m256i nearest_split(__m256 v) {
    return bits(_mm256_fmadd_ps(v, _mm256_set1_ps(-65536.f), _mm256_mul_ps(v, _mm256_set1_ps(65537.f))));
}
LOOP __m256 top_half(__m256i v) { return floats(_mm256_and_si256(v, all(0xffff0000u))); }

template <class F>
struct Loops;

template <>
struct Loops<Bf16> {
    LOOP static void wide_sums(const Word16* x, __m256d (&a)[8]) {  // 32 elements, even and odd
        for (int k = 0; k < 2; ++k) {
            const __m256i v = load16(x + 16 * k);
            const __m256 e = even(v), o = odd(v);
            const __m256d p = lower(e), q = upper(e), r = lower(o), s = upper(o);
            a[4 * k] = _mm256_fmadd_pd(p, p, a[4 * k]);
            a[4 * k + 1] = _mm256_fmadd_pd(q, q, a[4 * k + 1]);
            a[4 * k + 2] = _mm256_fmadd_pd(r, r, a[4 * k + 2]);
            a[4 * k + 3] = _mm256_fmadd_pd(s, s, a[4 * k + 3]);
        }
    }
    LOOP static __m256 eight(const Word16* p) {
        return floats(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16));
    }
    static constexpr std::size_t step_a = 16, step_b = 8;
    template <Oracle o>
    LOOP static void step(const Word16* x, const Word16* w, Word16* y, __m256d r) {
        const __m256i vx = load16(x), vw = load16(w);
        __m256i e, d;
        if constexpr (o == Oracle::ideal) {
            e = nearest(times(_mm256_mul_ps(even(vx), even(vw)), r));
            d = nearest(times(_mm256_mul_ps(odd(vx), odd(vw)), r));
        } else {
            e = nearest_split(_mm256_mul_ps(top_half(nearest(times(even(vx), r))), even(vw)));
            d = nearest_split(_mm256_mul_ps(top_half(nearest(times(odd(vx), r))), odd(vw)));
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), join(e, d));
    }
    template <Oracle o>
    LOOP static void other_step(const Word16* x, const Word16* w, Word16* y, __m256d r) {
        const __m256 vx = eight(x), vw = eight(w);
        __m256i b;
        if constexpr (o == Oracle::ideal) b = nearest(times(_mm256_mul_ps(vx, vw), r));
        else b = nearest_split(_mm256_mul_ps(top_half(nearest(times(vx, r))), vw));
        b = _mm256_srli_epi32(b, 16);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm_packus_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1)));
    }
};

template <>
struct Loops<Fp16> {
    LOOP static void wide_sums(const Word16* x, __m256d (&a)[8]) {
        for (int k = 0; k < 8; ++k) {
            const __m256d v = _mm256_cvtps_pd(_mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + 4 * k))));
            a[k] = _mm256_fmadd_pd(v, v, a[k]);
        }
    }
    LOOP static __m256 eight(const Word16* p) { return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))); }
    static constexpr std::size_t step_a = 8, step_b = 4;
    template <Oracle o>
    LOOP static void step(const Word16* x, const Word16* w, Word16* y, __m256d r) {
        const __m256 vx = eight(x), vw = eight(w);
        __m256 t;
        if constexpr (o == Oracle::ideal) t = times(_mm256_mul_ps(vx, vw), r);
        else t = _mm256_mul_ps(_mm256_cvtph_ps(_mm256_cvtps_ph(times(vx, r), 0)), vw);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm256_cvtps_ph(t, 0));
    }
    template <Oracle o>
    LOOP static void other_step(const Word16* x, const Word16* w, Word16* y, __m256d r) {
        const __m128 vx = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
        const __m128 vw = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(w)));
        __m128 t;
        if constexpr (o == Oracle::ideal) t = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_cvtps_pd(_mm_mul_ps(vx, vw)), r));
        else t = _mm_mul_ps(_mm_cvtph_ps(_mm_cvtps_ph(_mm256_cvtpd_ps(_mm256_mul_pd(_mm256_cvtps_pd(vx), r)), 0)), vw);
        _mm_storel_epi64(reinterpret_cast<__m128i*>(y), _mm_cvtps_ph(t, 0));
    }
};

template <>
struct Loops<F32> {
    LOOP static __m128 four(const Word32* p) { return _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))); }
    LOOP static __m256 eight(const Word32* p) { return floats(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))); }
    LOOP static void wide_sums(const Word32* x, __m256d (&a)[8]) {
        for (int k = 0; k < 8; ++k) {
            const __m256d v = _mm256_cvtps_pd(four(x + 4 * k));
            a[k] = _mm256_fmadd_pd(v, v, a[k]);
        }
    }
    static constexpr std::size_t step_a = 4, step_b = 8;
    template <Oracle o>
    LOOP static void step(const Word32* x, const Word32* w, Word32* y, __m256d r) {
        const __m256d vx = _mm256_cvtps_pd(four(x));
        __m128 t;
        if constexpr (o == Oracle::ideal) t = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_mul_pd(vx, _mm256_cvtps_pd(four(w))), r));
        else t = _mm_mul_ps(_mm256_cvtpd_ps(_mm256_mul_pd(vx, r)), four(w));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm_castps_si128(t));
    }
    template <Oracle o>
    LOOP static void other_step(const Word32* x, const Word32* w, Word32* y, __m256d r) {
        const __m256 vx = eight(x), vw = eight(w);
        __m256 t;
        if constexpr (o == Oracle::ideal)
            t = narrow(_mm256_mul_pd(_mm256_mul_pd(lower(vx), lower(vw)), r), _mm256_mul_pd(_mm256_mul_pd(upper(vx), upper(vw)), r));
        else t = _mm256_mul_ps(times(vx, r), vw);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), bits(t));
    }
};

ULPGATE_AVX2 double total(__m256d (&a)[8]) {
    for (int k = 0; k < 4; ++k) a[k] = _mm256_add_pd(a[k], a[k + 4]);
    a[0] = _mm256_add_pd(_mm256_add_pd(a[0], a[1]), _mm256_add_pd(a[2], a[3]));
    alignas(32) double t[4];
    _mm256_store_pd(t, a[0]);
    return (t[0] + t[1]) + (t[2] + t[3]);
}

// d is a multiple of 32 in every cell.
template <class F>
ULPGATE_AVX2 __attribute__((noinline)) double sum_wide(const typename F::Word* x, std::size_t d) {
    __m256d a[8];
    for (auto& v : a) v = _mm256_setzero_pd();
    for (std::size_t i = 0; i + 32 <= d; i += 32) Loops<F>::wide_sums(x + i, a);
    return total(a);
}
template <class F>
ULPGATE_AVX2 __attribute__((noinline)) double sum_eights(const typename F::Word* x, std::size_t d) {
    __m256d a[8];
    for (auto& v : a) v = _mm256_setzero_pd();
    for (std::size_t i = 0; i + 32 <= d; i += 32)
        for (std::size_t k = 0; k < 4; ++k) {
            const __m256 f = Loops<F>::eight(x + i + 8 * k);
            const __m256d p = lower(f), q = upper(f);
            a[2 * k] = _mm256_fmadd_pd(p, p, a[2 * k]);
            a[2 * k + 1] = _mm256_fmadd_pd(q, q, a[2 * k + 1]);
        }
    return total(a);
}
template <class F, Oracle o>
ULPGATE_AVX2 __attribute__((noinline)) void write(const typename F::Word* x, const typename F::Word* w, typename F::Word* y, std::size_t d, double rr) {
    const __m256d r = _mm256_set1_pd(rr);
    UNROLL(4)
    for (std::size_t i = 0; i < d; i += Loops<F>::step_a) Loops<F>::template step<o>(x + i, w + i, y + i, r);
}
template <class F, Oracle o>
ULPGATE_AVX2 __attribute__((noinline)) void other_write(const typename F::Word* x, const typename F::Word* w, typename F::Word* y, std::size_t d, double rr) {
    const __m256d r = _mm256_set1_pd(rr);
    UNROLL(4)
    for (std::size_t i = 0; i < d; i += Loops<F>::step_b) Loops<F>::template other_step<o>(x + i, w + i, y + i, r);
}

struct Variant {
    bool other_write, eights, grouped;  // grouped: sums of some rows first, so that roots and divisions overlap
};

template <class F, Oracle o>
void run(const PackedRows& job, Variant v) {
    using Word = typename F::Word;
    const auto *x = static_cast<const Word*>(job.x), *w = static_cast<const Word*>(job.w);
    auto* y = static_cast<Word*>(job.y);
    const std::size_t d = job.d, group = v.grouped ? std::clamp<std::size_t>(16384 / (d * sizeof(Word)), 1, 8) : 1;
    double r[8];
    for (std::size_t at = 0; at < job.rows; at += group) {
        const std::size_t n = std::min(group, job.rows - at);
        for (std::size_t k = 0; k < n; ++k) r[k] = (v.eights ? sum_eights<F> : sum_wide<F>)(x + (at + k) * d, d);
        for (std::size_t k = 0; k < n; ++k) r[k] = 1.0 / std::sqrt(r[k] / static_cast<double>(d) + job.eps);
        for (std::size_t k = 0; k < n; ++k) (v.other_write ? other_write<F, o> : write<F, o>)(x + (at + k) * d, w, y + (at + k) * d, d, r[k]);
    }
}

template <class F>
void run(Oracle o, const PackedRows& job, Variant v) {
    if (o == Oracle::ideal) run<F, Oracle::ideal>(job, v);
    else run<F, Oracle::cast_first>(job, v);
}

}  // namespace

bool f64_loop_available() { return has_avx2(); }

std::vector<Side> f64_loops(Oracle o, const PackedRows& job) {
    std::vector<Side> out;
    for (int k = 0; k < 8; ++k) {
        const Variant v{(k & 1) != 0, (k & 2) != 0, (k & 4) != 0};
        const std::string name = std::string(v.other_write ? "narrow" : "wide") + (v.eights ? "+eights" : "") + (v.grouped ? "+grouped" : "");
        out.push_back({name, [o, &job, v] {
            if (job.type == Type::bf16) run<Bf16>(o, job, v);
            else if (job.type == Type::fp16) run<Fp16>(o, job, v);
            else run<F32>(o, job, v);
        }, static_cast<double>(job.rows * job.d)});
    }
    return out;
}

}  // namespace ulpgate::bench
