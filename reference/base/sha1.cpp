#include "reference/base/sha1.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

namespace ulpgate {
namespace {

using State = std::array<std::uint32_t, 5>;

void block(State& h, const unsigned char* p) {
    std::uint32_t w[80];
    for (int t = 0; t < 16; ++t, p += 4)
        w[t] = std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
    for (int t = 16; t < 80; ++t) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    auto [a, b, c, d, e] = h;
    for (int t = 0; t < 80; ++t) {
        std::uint32_t f = b ^ c ^ d, k = t < 40 ? 0x6ed9eba1 : 0xca62c1d6;
        if (t < 20) f = (b & c) | (~b & d), k = 0x5a827999;
        else if (t >= 40 && t < 60) f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
        const std::uint32_t next = std::rotl(a, 5) + f + e + k + w[t];
        e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
    h = {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
}

}  // namespace

std::string sha1(std::string_view bytes) {
    std::string s(bytes);
    s += '\x80';
    while (s.size() % 64 != 56) s += '\0';
    for (int k = 56; k >= 0; k -= 8) s += static_cast<char>(static_cast<std::uint64_t>(bytes.size()) * 8 >> k);
    State h{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    for (std::size_t at = 0; at < s.size(); at += 64) block(h, reinterpret_cast<const unsigned char*>(s.data()) + at);
    return fmt::format("{:08x}{:08x}{:08x}{:08x}{:08x}", h[0], h[1], h[2], h[3], h[4]);
}

}  // namespace ulpgate
