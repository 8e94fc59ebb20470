#include "reference/formats/ulp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ulpgate {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_nan(Type t, std::uint32_t w) { return std::isnan(decode(t, w)); }

}  // namespace

double ulp_at(Type t, double v) {
    const int e = static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 52 & 2047) - 1023;  // a subnormal double is below emin
    const int exponent = with_format(t, [e](auto f) { return std::max(e, f.emin) - f.mantissa_bits; });
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

double ulp_error(Type t, std::uint32_t y, double ideal) {
    const double value = decode(t, y);
    const std::uint32_t correct = encode(t, ideal);
    if (is_nan(t, y) || is_nan(t, correct)) return is_nan(t, y) && is_nan(t, correct) ? 0 : infinity;
    if (std::isinf(value)) return y == correct ? 0 : value;
    if (std::isinf(ideal)) return -ideal;
    return (value - ideal) / ulp_at(t, ideal);
}

std::int64_t ulp_steps(Type t, std::uint32_t y, std::uint32_t correct) {
    if (is_nan(t, y) || is_nan(t, correct))
        return is_nan(t, y) && is_nan(t, correct) ? 0 : std::numeric_limits<std::int64_t>::max();
    return with_format(t, [&](auto f) {
        using Word = typename decltype(f)::Word;
        return f.ordinal(static_cast<Word>(y)) - f.ordinal(static_cast<Word>(correct));
    });
}

}  // namespace ulpgate
