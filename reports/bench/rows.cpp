#include "reports/bench/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "reference/base/rng.hpp"
#include "reference/formats/convert.hpp"

namespace ulpgate::bench {
namespace {

constexpr std::size_t page = 4096;

void fill(Type t, std::byte* out, std::size_t n, bool gain) {
    Rng rng(7, gain, 0);
    std::vector<float> v(std::min<std::size_t>(n, 1 << 20));
    for (float& f : v) f = gain ? 0.5f + static_cast<float>(rng.below(1u << 16)) * 0x1.8p-16f : static_cast<float>(rng.gauss()) * 0x1p-16f;
    const auto size = static_cast<std::size_t>(bytes(t));
    for (std::size_t at = 0; at < n; at += v.size()) encode_words(t, std::span(v).first(std::min(v.size(), n - at)), out + at * size);
}

}  // namespace

Arena::Arena(Type t, std::size_t rows, std::size_t d) {
    const auto size = static_cast<std::size_t>(bytes(t));
    const std::size_t one = (rows * d * size + 2 * page - 1) / page * page;
    memory_.resize(2 * one + d * size + 4 * page);
    auto* base = memory_.data();
    base += page - reinterpret_cast<std::uintptr_t>(base) % page;
    std::byte *y = base + one + 2304, *w = base + 2 * one + page + 1536;
    fill(t, base, rows * d, false);
    fill(t, w, d, true);
    std::memset(y, 0, rows * d * size);
    job_ = {t, base, w, y, rows, d, 1e-6};
}

std::size_t rows_in(Type t, std::size_t d, std::size_t room) {
    return std::max<std::size_t>(1, room / (2 * d * static_cast<std::size_t>(bytes(t))));
}

}  // namespace ulpgate::bench
