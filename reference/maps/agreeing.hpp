// A map as a piece: its apply (gain.hpp) and its agreeing: y = f(x, W, r), rounded to nearest and compared in registers.
#pragma once
#include "reference/formats/lanes8.hpp"
#include "reference/maps/gain.hpp"

namespace ulpgate::maps {

#if defined(__x86_64__)
// f(F{}) of the format, where it has lanes; else 0.
template <class Fn>
std::size_t with_lanes(Type t, Fn&& f) {
    switch (t) {
        case Type::bf16:
            return f(Bf16{});
        case Type::fp16:
            return f(Fp16{});
        case Type::f32:
            return f(F32{});
        default:
            return 0;
    }
}

// One step of eight columns; W is not read without a gain.
template <class A, class T, class Y, bool gain>
struct CastStep {
    ULPGATE_AVX2_INLINE static __m256 y(const float* x, const float* W, const __m256& r) {
        __m256 v = _mm256_loadu_ps(x);
        A::n(v, r, v);
        v = lanes8::Lanes<T>::round(v);
        if constexpr (gain) v = _mm256_mul_ps(_mm256_loadu_ps(W), v);
        return lanes8::Lanes<Y>::round(v);
    }
};
template <class A, class Y, bool gain>
struct GainStep {
    ULPGATE_AVX2_INLINE static __m256 y(const float* x, const float* W, const __m256& r) {
        __m256 v = _mm256_loadu_ps(x);
        if constexpr (gain) {
            const __m256 factor = _mm256_loadu_ps(W);
            A::f(v, factor, r, v);
        } else {
            A::n(v, r, v);
        }
        return lanes8::Lanes<Y>::round(v);
    }
};

template <class Step>
ULPGATE_AVX2_INLINE __m256i difference(const float* x, const float* W, const float* y, const __m256& r) {
    return _mm256_xor_si256(_mm256_castps_si256(Step::y(x, W, r)), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y)));
}

template <class Step>
ULPGATE_AVX2 std::size_t agreeing_columns(std::size_t n, const float* x, const float* W, const float* y, float scalar) {
    const __m256 r = _mm256_set1_ps(scalar);
    std::size_t j = 0;
    for (; j + 32 <= n; j += 32) {
        const __m256i a = difference<Step>(x + j, W + j, y + j, r), b = difference<Step>(x + j + 8, W + j + 8, y + j + 8, r);
        const __m256i c = difference<Step>(x + j + 16, W + j + 16, y + j + 16, r), d = difference<Step>(x + j + 24, W + j + 24, y + j + 24, r);
        const __m256i any = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
        if (!_mm256_testz_si256(any, any)) break;
    }
    for (; j + 8 <= n; j += 8)
        if (const __m256i a = difference<Step>(x + j, W + j, y + j, r); !_mm256_testz_si256(a, a)) break;
    return j;
}

template <class Bare, class Gained>
std::size_t agreeing_row(const MapTypes& types, std::span<const float> x, std::span<const float> w, std::span<const float> y, float r) {
    if (w.empty()) return agreeing_columns<Bare>(x.size(), x.data(), x.data(), y.data(), r);
    std::size_t all = 0;
    each_chunk(types, narrow_nearest, x.size(), w, [&](std::size_t at, std::size_t n, const float* W) {
        const std::size_t k = agreeing_columns<Gained>(n, x.data() + at, W, y.data() + at, r);
        all += k;
        return k == n;
    });
    return all;
}

template <class A>
std::size_t cast_then_gain_agrees(const MapTypes& types, std::span<const float> x, std::span<const float> w,
                                  std::span<const float> y, float r) {
    if (!has_avx2()) return 0;
    return with_lanes(types.x, [&]<class T>(T) {
        return with_lanes(types.y, [&]<class Y>(Y) {
            return agreeing_row<CastStep<A, T, Y, false>, CastStep<A, T, Y, true>>(types, x, w, y, r);
        });
    });
}

template <class A>
std::size_t gain_then_cast_agrees(const MapTypes& types, std::span<const float> x, std::span<const float> w,
                                  std::span<const float> y, float r) {
    if (!has_avx2()) return 0;
    return with_lanes(types.y, [&]<class Y>(Y) {
        return agreeing_row<GainStep<A, Y, false>, GainStep<A, Y, true>>(types, x, w, y, r);
    });
}
#else
template <class A>
std::size_t cast_then_gain_agrees(const MapTypes&, std::span<const float>, std::span<const float>, std::span<const float>, float) {
    return 0;
}
template <class A>
std::size_t gain_then_cast_agrees(const MapTypes&, std::span<const float>, std::span<const float>, std::span<const float>, float) {
    return 0;
}
#endif

// The two kinds of map as pieces.
template <class A>
constexpr MapPiece cast_first_piece(std::string_view name, By by) {
    return {name, Map::cast_first, Assoc::any, by, cast_then_gain<A>, cast_then_gain_agrees<A>};
}
template <class A>
constexpr MapPiece f32_gain_piece(std::string_view name, Assoc assoc, By by) {
    return {name, Map::f32_gain, assoc, by, gain_then_cast<A>, gain_then_cast_agrees<A>};
}

}  // namespace ulpgate::maps
