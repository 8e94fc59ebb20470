#include "reference/base/hexfloat.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

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
    const bool minus = s.starts_with('-');
    if (minus) s.remove_prefix(1);
    if (s.empty() || s[0] == '-' || s[0] == '+') return {};
    auto form = std::chars_format::general;
    if (s.starts_with("0x")) {
        form = std::chars_format::hex;
        s.remove_prefix(2);
        if (s.empty() || s[0] == '-') return {};
    }
    double v;
    const auto [p, e] = std::from_chars(s.data(), s.data() + s.size(), v, form);
    if (e != std::errc{} || p != s.data() + s.size()) return {};
    return minus ? -v : v;
}

}  // namespace ulpgate
