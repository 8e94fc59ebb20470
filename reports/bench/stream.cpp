#include "reports/bench/stream.hpp"

#include <immintrin.h>

#include <cstring>

#include "reference/simd/dispatch.hpp"

namespace ulpgate::bench {
namespace {

// Through registers, two lines a step; the rest by memcpy.
template <bool streaming>
ULPGATE_AVX2 __attribute__((noinline)) void copy(const std::byte* x, std::byte* y, std::size_t n) {
    std::size_t head = (32 - reinterpret_cast<std::uintptr_t>(y) % 32) % 32;
    if (head > n) head = n;
    std::memcpy(y, x, head);
    std::size_t i = head;
    for (; i + 128 <= n; i += 128) {
        __m256i v[4];
        for (std::size_t k = 0; k < 4; ++k) v[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i + 32 * k));
        for (std::size_t k = 0; k < 4; ++k) {
            auto* to = reinterpret_cast<__m256i*>(y + i + 32 * k);
            if constexpr (streaming) _mm256_stream_si256(to, v[k]);
            else _mm256_store_si256(to, v[k]);
        }
    }
    if constexpr (streaming) _mm_sfence();
    std::memcpy(y + i, x + i, n - i);
}

}  // namespace

std::vector<Side> streams(const void* from, void* to, std::size_t n) {
    const auto* x = static_cast<const std::byte*>(from);
    auto* y = static_cast<std::byte*>(to);
    const double work = 2.0 * static_cast<double>(n);
    std::vector<Side> out{{"memcpy", [=] { std::memcpy(y, x, n); asm volatile("" ::: "memory"); }, work}};
    if (has_avx2()) {
        out.push_back({"avx2", [=] { copy<false>(x, y, n); }, work});
        out.push_back({"avx2 non-temporal", [=] { copy<true>(x, y, n); }, work});
    }
    return out;
}

}  // namespace ulpgate::bench
