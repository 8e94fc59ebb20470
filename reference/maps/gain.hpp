// What the maps share: how the stored gain becomes the factor W, a chunk at a time, and one loop over (x, W).
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "reference/maps/map.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate::maps {

// out[j] = f(in[j]...), in lanes where there are any: f is one or two IEEE operations, whose bits no lane changes.
template <class F, class... In>
ULPGATE_INLINE void lanes_of(std::size_t n, float* out, F f, const In*... in) {
    for (std::size_t j = 0; j < n; ++j) out[j] = f(in[j]...);
}
template <class F, class... In>
ULPGATE_AVX2 void lanes_avx2(std::size_t n, float* out, F f, const In*... in) {
    lanes_of(n, out, f, in...);
}
template <class F, class... In>
void lanes(std::size_t n, float* out, F f, const In*... in) {
    if (has_avx2()) lanes_avx2(n, out, f, in...);
    else lanes_of(n, out, f, in...);
}

// f(n, x, W) for each chunk of n columns from `at` on: W = w, fl32(1 + w) or RN_T(fl32(1 + w)) by types.gain; null without a gain.
// Ends where f is false.
template <class F>
ULPGATE_INLINE void each_chunk(const MapTypes& types, Narrow narrow, std::size_t columns, std::span<const float> w, F f) {
    const bool plus = types.gain == Gain::one_plus || types.gain == Gain::one_plus_t;
    if (w.empty() || !plus) return static_cast<void>(f(std::size_t{0}, columns, w.empty() ? nullptr : w.data()));
    std::array<float, 256> factors;
    for (std::size_t at = 0; at < columns; at += factors.size()) {
        const std::size_t n = std::min(factors.size(), columns - at);
        for (std::size_t j = 0; j < n; ++j) factors[j] = 1.0f + w[at + j];
        if (types.gain == Gain::one_plus_t) narrow(types.x, std::span(factors).first(n));
        if (!f(at, n, factors.data())) return;
    }
}

// out[j] = f(x[j], W[j]).
template <class F>
void each_with_gain(const MapTypes& types, Narrow narrow, std::span<const float> x, std::span<const float> w,
                    std::span<float> out, F f) {
    each_chunk(types, narrow, x.size(), w, [&](std::size_t at, std::size_t n, const float* W) {
        lanes(n, out.data() + at, f, x.data() + at, W);
        return true;
    });
}

// An arithmetic is n(x, r, out), out = x r or x / r, and, where the gain enters before the one cast, f(x, W, r, out): one
// expression for a float and for lanes of it.

// y = RN_y(W RN_T(n(x))): the cast comes before the gain.
template <class A>
void cast_then_gain(const MapTypes& types, Narrow narrow, std::span<const float> x, std::span<const float> w, float r,
                    std::span<float> out) {
    lanes(x.size(), out.data(), [r](float v) { return A::n(v, r, v), v; }, x.data());
    narrow(types.x, out);
    if (!w.empty()) each_with_gain(types, narrow, out, w, out, [](float t, float W) { return W * t; });
    narrow(types.y, out);
}

// y = RN_y(f(x, W)), or RN_y(n(x)) without a gain: one rounding to T, at the end.
template <class A>
void gain_then_cast(const MapTypes& types, Narrow narrow, std::span<const float> x, std::span<const float> w, float r,
                    std::span<float> out) {
    if (w.empty())
        lanes(x.size(), out.data(), [r](float v) { return A::n(v, r, v), v; }, x.data());
    else
        each_with_gain(types, narrow, x, w, out, [r](float v, float W) { return A::f(v, W, r, v), v; });
    narrow(types.y, out);
}

}  // namespace ulpgate::maps
