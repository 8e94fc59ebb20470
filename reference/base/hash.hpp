// A 64-bit hash of bytes, the same on every machine (little endian words, multiply and fold). It tells a case whose
// tensors came out differently; it is no defence against an adversary.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ulpgate {

class Hash {
  public:
    void add(const void* data, std::size_t n) {
        const auto* p = static_cast<const unsigned char*>(data);
        for (; n >= 8; n -= 8, p += 8) {
            std::uint64_t w;
            std::memcpy(&w, p, 8);
            step(w);
        }
        std::uint64_t tail = n;
        for (std::size_t i = 0; i < n; ++i) tail |= static_cast<std::uint64_t>(p[i]) << (8 * i + 8);
        step(tail);
    }
    void add(std::int64_t v) { step(static_cast<std::uint64_t>(v)); }
    std::uint64_t value() const {
        std::uint64_t h = state_;
        h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
        return h ^ (h >> 29);
    }

  private:
    void step(std::uint64_t w) {
        state_ = (state_ ^ w) * 0x9ddfea08eb382d69u;
        state_ ^= state_ >> 29;
    }
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace ulpgate
