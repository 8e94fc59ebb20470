// What every vector type must do: widen each word exactly, narrow to nearest with ties to even, and keep to n
// elements. Comes after the header of the vector type V, whose VECTOR_TARGET it uses.
#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "impls/kernel/element.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate::testing {

template <class T>
using FormatOf = std::conditional_t<std::is_same_v<T, kernel::Bf16>, Bf16,
                                    std::conditional_t<std::is_same_v<T, kernel::Fp16>, Fp16, F32>>;
template <class T>
using WordOf = typename FormatOf<T>::Word;

// Every value of a 16-bit format, every midpoint between two (that to overflow too), their neighbours in f32,
// both signs, and f32's own special values.
template <class F>
std::vector<float> hard_to_narrow() {
    std::vector<float> hard;
    const auto around = [&](float f) {
        const auto u = std::bit_cast<std::uint32_t>(f);
        for (const std::uint32_t v : {u - 1, u, u + 1})
            for (const std::uint32_t sign : {0u, 0x80000000u})
                hard.push_back(std::bit_cast<float>((v & 0x7fffffff) | sign));
    };
    for (std::uint32_t w = 0; w <= F::max_word; ++w) {
        const double value = F::decode(static_cast<typename F::Word>(w));
        const double next =
            w == F::max_word ? std::ldexp(1.0, F::emax + 1) : F::decode(static_cast<typename F::Word>(w + 1));
        around(static_cast<float>(value));
        around(static_cast<float>((value + next) / 2));
    }
    for (const std::uint32_t u :
         {0u, 1u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fffffffu})
        around(std::bit_cast<float>(u));
    return hard;
}

template <class V, class T>
VECTOR_TARGET void narrow_all(const std::vector<float>& in, std::vector<WordOf<T>>& stored,
                              std::vector<float>& rounded) {
    constexpr auto lanes = static_cast<std::size_t>(V::lanes);
    for (std::size_t i = 0; i + lanes <= in.size(); i += lanes) {
        kernel::F32 f[lanes];
        T words[lanes];
        std::memcpy(f, &in[i], sizeof f);
        const V v = V::load(f);
        v.store(words);
        v.template rounded_to<T>().store(f);
        std::memcpy(&stored[i], words, sizeof words);
        std::memcpy(&rounded[i], f, sizeof f);
    }
}

template <class V, class T>
void expect_nearest() {
    using F = FormatOf<T>;
    std::vector<float> in = hard_to_narrow<F>();
    while (in.size() % static_cast<std::size_t>(V::lanes)) in.push_back(0);
    std::vector<WordOf<T>> stored(in.size());
    std::vector<float> rounded(in.size());
    narrow_all<V, T>(in, stored, rounded);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto right = F::encode(in[i]);
        const auto back = F::encode(rounded[i]);
        if (F::is_nan(right)) {
            ASSERT_TRUE(F::is_nan(stored[i]) && F::is_nan(back)) << in[i];
            continue;
        }
        const auto bits = std::bit_cast<std::uint32_t>(in[i]);
        ASSERT_EQ(stored[i], right) << "f32 word " << std::hex << bits;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(rounded[i]), std::bit_cast<std::uint32_t>(F::decode(right)))
            << std::hex << bits;
    }
}

template <class V, class T>
VECTOR_TARGET void widen_all(std::vector<float>& out) {
    for (std::size_t w = 0; w < out.size(); w += static_cast<std::size_t>(V::lanes)) {
        T words[V::lanes];
        for (std::size_t i = 0; i < static_cast<std::size_t>(V::lanes); ++i)
            words[i].word = static_cast<std::uint16_t>(w + i);
        kernel::F32 f[V::lanes];
        V::load(words).store(f);
        std::memcpy(&out[w], f, sizeof f);
    }
}

template <class V, class T>
void expect_widened() {
    using F = FormatOf<T>;
    std::vector<float> out(1 << 16);
    widen_all<V, T>(out);
    for (std::uint32_t w = 0; w < out.size(); ++w) {
        const float right = F::decode(static_cast<std::uint16_t>(w));
        if (right != right)
            ASSERT_TRUE(out[w] != out[w]) << std::hex << w;
        else
            ASSERT_EQ(std::bit_cast<std::uint32_t>(out[w]), std::bit_cast<std::uint32_t>(right))
                << std::hex << w;
    }
}

// All 256 codes of e4m3, whole vectors and parts.
template <class V>
VECTOR_TARGET void widen_codes(std::vector<float>& whole, std::vector<float>& parts) {
    kernel::E4m3 codes[256];
    for (int w = 0; w < 256; ++w) codes[w].word = static_cast<std::uint8_t>(w);
    kernel::F32 f[V::lanes];
    for (int w = 0; w < 256; w += V::lanes) {
        V::load(codes + w).store(f);
        std::memcpy(&whole[static_cast<std::size_t>(w)], f, sizeof f);
        V::load(codes + w, V::lanes - 1).store(f);
        std::memcpy(&parts[static_cast<std::size_t>(w)], f, sizeof f);
    }
}
template <class V>
void expect_codes_widened() {
    std::vector<float> whole(256), parts(256);
    widen_codes<V>(whole, parts);
    for (std::uint32_t w = 0; w < 256; ++w) {
        const float right = E4m3::decode(static_cast<std::uint8_t>(w));
        for (const bool part : {false, true}) {
            const float got = (part ? parts : whole)[w], want = part && (w + 1) % static_cast<std::uint32_t>(V::lanes) == 0 ? 0.0f : right;
            if (want != want) ASSERT_TRUE(got != got) << std::hex << w;
            else ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want)) << std::hex << w;
        }
    }
}

template <class V, class T>
VECTOR_TARGET void copy_part(const T* from, T* to, int n) {
    V::load(from, n).store(to, n);
}

// Moves of n elements end at the last byte of a page that no access may leave; what lies before them stays.
template <class V, class T>
void expect_parts_kept() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* const from_end = static_cast<unsigned char*>(memory) + page;
    auto* const to_end = from_end + 2 * page;
    ASSERT_EQ(mprotect(from_end, page, PROT_NONE), 0);
    ASSERT_EQ(mprotect(to_end, page, PROT_NONE), 0);
    for (int n = 1; n < V::lanes; ++n) {
        const auto size = static_cast<std::size_t>(n) * sizeof(T);
        std::memset(to_end - page, 0xa5, page);
        for (std::size_t i = 0; i < size; ++i) (from_end - size)[i] = static_cast<unsigned char>(0x11 + i % 32);
        copy_part<V>(reinterpret_cast<const T*>(from_end - size), reinterpret_cast<T*>(to_end - size), n);
        ASSERT_EQ(std::memcmp(from_end - size, to_end - size, size), 0) << n;
        for (const unsigned char* p = to_end - page; p < to_end - size; ++p) ASSERT_EQ(*p, 0xa5) << n;
    }
    munmap(memory, 4 * page);
}

template <class V>
VECTOR_TARGET float sum_of_part(const std::vector<float>& values) {
    return V::load(reinterpret_cast<const kernel::F32*>(values.data()), static_cast<int>(values.size()))
        .halved_sum();
}

// A part is followed by zeros.
template <class V>
void expect_zero_above() {
    for (int n = 1; n < V::lanes; ++n)
        EXPECT_EQ(sum_of_part<V>(std::vector<float>(static_cast<std::size_t>(n), 1.0f)),
                  static_cast<float>(n));
}

template <class V>
void check_vector() {
    expect_nearest<V, kernel::Bf16>();
    expect_nearest<V, kernel::Fp16>();
    expect_widened<V, kernel::Bf16>();
    expect_widened<V, kernel::Fp16>();
    expect_codes_widened<V>();
    expect_parts_kept<V, kernel::Bf16>();
    expect_parts_kept<V, kernel::Fp16>();
    expect_parts_kept<V, kernel::F32>();
    expect_zero_above<V>();
}

}  // namespace ulpgate::testing
