#include "reference/formats/ulp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpgate {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_nan(Type t, std::uint32_t w) { return std::isnan(decode(t, w)); }

}  // namespace

double ulp_at(Type t, double v) {
    return with_format(t, [v](auto f) {
        const int e = v == 0 ? f.emin : std::max(std::ilogb(v), f.emin);
        return std::ldexp(1.0, e - f.mantissa_bits);
    });
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
