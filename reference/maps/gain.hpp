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

// out[j] = f(x[j], W[j]): W = w, fl32(1 + w) or RN_T(fl32(1 + w)) by types.gain. w has x's length.
template <class F>
void each_with_gain(const MapTypes& types, Narrow narrow, std::span<const float> x, std::span<const float> w,
                    std::span<float> out, F f) {
    std::array<float, 256> factors;
    for (std::size_t at = 0; at < x.size(); at += factors.size()) {
        const std::size_t n = std::min(factors.size(), x.size() - at);
        const float* W = w.data() + at;
        if (types.gain == Gain::one_plus || types.gain == Gain::one_plus_t) {
            for (std::size_t j = 0; j < n; ++j) factors[j] = 1.0f + W[j];
            if (types.gain == Gain::one_plus_t) narrow(types.x, std::span(factors).first(n));
            W = factors.data();
        }
        lanes(n, out.data() + at, f, x.data() + at, W);
    }
}

// out[j] = f(x[j]).
template <class F>
void each(std::span<const float> x, std::span<float> out, F f) {
    lanes(x.size(), out.data(), f, x.data());
}

// y = RN_y(W RN_T(n(x))): the cast comes before the gain.
template <class N>
void cast_then_gain(const MapTypes& types, Narrow narrow, std::span<const float> x, std::span<const float> w,
                    std::span<float> out, N n) {
    each(x, out, n);
    narrow(types.x, out);
    if (!w.empty()) each_with_gain(types, narrow, out, w, out, [](float t, float W) { return W * t; });
    narrow(types.y, out);
}

// y = RN_y(f(x, W)), or RN_y(n(x)) without a gain: one rounding to T, at the end.
template <class F, class N>
void gain_then_cast(const MapTypes& types, Narrow narrow, std::span<const float> x, std::span<const float> w,
                    std::span<float> out, F f, N n) {
    if (w.empty())
        each(x, out, n);
    else
        each_with_gain(types, narrow, x, w, out, f);
    narrow(types.y, out);
}

}  // namespace ulpgate::maps
