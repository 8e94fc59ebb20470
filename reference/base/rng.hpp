// Random bits that are the same everywhere: integers only, no libm, no std distributions. Row i of a profile draws from
// Rng(seed, stream, i), so that a row can be made alone. The mixer is SplitMix64's finaliser (Steele, Lea, Flood 2014).
#pragma once
#include <cstdint>

namespace ulpgate {

class Rng {
  public:
    constexpr Rng(std::uint64_t seed, std::uint64_t stream, std::uint64_t index)
        : state_(mix(mix(mix(seed + golden) ^ stream) + golden * index)) {}

    constexpr std::uint64_t next() { return mix(state_ += golden); }

    // Uniform in [0, n); the bias is below n / 2^32.
    constexpr std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

    // Uniform in [lo, hi].
    constexpr int between(int lo, int hi) { return lo + static_cast<int>(below(static_cast<std::uint32_t>(hi - lo + 1))); }

    // The sum of twelve uniform 16-bit integers, centred: near Gaussian, exact, sigma = 65536.
    constexpr int gauss() {
        int sum = 0;
        for (int k = 0; k < 3; ++k) {
            const std::uint64_t v = next();
            sum += static_cast<int>(v & 65535) + static_cast<int>(v >> 16 & 65535) + static_cast<int>(v >> 32 & 65535) +
                   static_cast<int>(v >> 48);
        }
        return sum - 12 * 32768 + 6;
    }

  private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
    static constexpr std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

}  // namespace ulpgate
