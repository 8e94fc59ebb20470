// Sixteen f32 lanes in plain C++: the same operations as vector_avx512.hpp, lane by lane, on any CPU. Every
// result that is not a NaN has the same bits; which NaN comes out, C++ does not say.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "impls/kernel/element.hpp"

#define VECTOR_TARGET
#define VECTOR_FUNCTION inline

namespace kernel::portable {

inline float widened(Bf16 h) { return std::bit_cast<float>(static_cast<std::uint32_t>(h.word) << 16); }
inline float widened(F32 f) { return f.value; }
inline float widened(Fp16 h) {
    const std::uint32_t sign = (h.word & 0x8000u) << 16, magnitude = (h.word & 0x7fffu) << 13;
    if (magnitude >= 0x1fu << 23) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x7fffff));
    const float rebiased = std::bit_cast<float>(magnitude) * 0x1p112f;  // exact, subnormals too
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(rebiased));
}

inline float widened(E4m3 b) {
    const std::uint32_t sign = (b.word & 0x80u) << 24, magnitude = b.word & 0x7fu;
    if (magnitude == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000);
    return std::bit_cast<float>(sign | magnitude << 20) * 0x1p120f;  // exact, subnormals too
}

// To nearest, ties to even.
inline void narrow(float f, F32& out) { out.value = f; }
inline void narrow(float f, Bf16& out) {
    const auto u = std::bit_cast<std::uint32_t>(f);
    out.word = static_cast<std::uint16_t>(f != f ? 0x7fc0 : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}
inline void narrow(float f, Fp16& out) {
    const auto u = std::bit_cast<std::uint32_t>(f), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
    std::uint32_t h = (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13;
    if (a < 0x38800000)  // subnormal: the last bit of 0.5f is worth 2^-24
        h = std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    if (a >= 0x477ff000) h = 0x7c00;  // 65520 and above
    if (f != f) h = 0x7e00;
    out.word = static_cast<std::uint16_t>(sign | h);
}

struct Vector {
    static constexpr int lanes = 16;
    static constexpr int tile_tokens = 1;  // of a product of matrices: impls/kernel/gemm.hpp
    float v[lanes];

    static Vector zero() { return {}; }
    static Vector broadcast(float f) {
        Vector r;
        for (float& lane : r.v) lane = f;
        return r;
    }

    template <class T>
    static Vector load(const T* p, int n = lanes) {
        Vector r{};
        for (int i = 0; i < n; ++i) r.v[i] = widened(p[i]);
        return r;
    }
    template <class T>
    void store(T* p, int n = lanes) const {
        for (int i = 0; i < n; ++i) narrow(v[i], p[i]);
    }
    template <class T>
    Vector rounded_to() const {
        T words[lanes];
        store(words);
        return load(words);
    }

    friend Vector operator+(const Vector& a, const Vector& b) {
        Vector r;
        for (int i = 0; i < lanes; ++i) r.v[i] = a.v[i] + b.v[i];
        return r;
    }
    friend Vector operator*(const Vector& a, const Vector& b) {
        Vector r;
        for (int i = 0; i < lanes; ++i) r.v[i] = a.v[i] * b.v[i];
        return r;
    }
    friend Vector fma(const Vector& a, const Vector& b, const Vector& c) {
        Vector r;
        for (int i = 0; i < lanes; ++i) r.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
        return r;
    }

    // Lane i takes in lane i + 8, then i + 4, then i + 2, then i + 1.
    float halved_sum() const {
        Vector s = *this;
        for (int half = lanes / 2; half; half /= 2)
            for (int i = 0; i < half; ++i) s.v[i] += s.v[i + half];
        return s.v[0];
    }
};

}  // namespace kernel::portable
