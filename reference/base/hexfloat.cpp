#include "reference/base/hexfloat.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/base/from_chars.hpp"

namespace ulpgate {

std::string hexfloat(double v) {
    if (std::isnan(v)) return "nan";
    std::string s = std::signbit(v) ? "-" : "";
    if (std::isinf(v)) return s + "inf";
    if (v == 0) return s + "0x0p+0";
    const int e = std::ilogb(v);
    constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
    std::uint64_t m = static_cast<std::uint64_t>(std::ldexp(std::abs(v), 52 - e)) & fraction;
    s += "0x1";
    if (m) s += '.';
    for (int k = 48; m; k -= 4) {
        s += "0123456789abcdef"[m >> k & 15];
        m &= (std::uint64_t{1} << k) - 1;
    }
    return s + (e < 0 ? "p-" : "p+") + std::to_string(std::abs(e));
}

std::optional<double> read_float(std::string_view s) {
    if (s == "nan") return std::numeric_limits<double>::quiet_NaN();
    const bool minus = s.starts_with('-');
    if (minus) s.remove_prefix(1);
    const double sign = minus ? -1 : 1;
    if (s == "inf") return sign * std::numeric_limits<double>::infinity();
    const bool hex = s.starts_with("0x");
    if (hex) s.remove_prefix(2);
    double v;
    if (!read_digits(s, hex, v)) return {};
    return sign * v;
}

}  // namespace ulpgate
