// Bytes taken one after another; those that are missing read as zero.
#pragma once
#include <cstdint>
#include <span>

namespace ulpgate {

class ByteReader {
  public:
    explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    std::uint32_t byte() {
        if (bytes_.empty()) return 0;
        const std::uint8_t b = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return b;
    }
    // Little endian.
    std::uint32_t word(int bytes) {
        std::uint32_t w = 0;
        for (int k = 0; k < bytes; ++k) w |= byte() << 8 * k;
        return w;
    }
    bool more() const { return !bytes_.empty(); }

  private:
    std::span<const std::uint8_t> bytes_;
};

}  // namespace ulpgate
