#include "reports/console/style.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

namespace ulpgate {

Style style_for(std::string_view when, int descriptor) {
    if (when == "always") return {Paint::ansi};
    if (when == "never") return {};
    const char* no = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    if ((no && *no) || (term && std::string_view(term) == "dumb")) return {};
    return {::isatty(descriptor) ? Paint::ansi : Paint::plain};
}

std::string grouped(std::int64_t n) {
    auto s = std::to_string(n);
    for (auto at = static_cast<std::int64_t>(s.size()) - 3; at > (n < 0 ? 1 : 0); at -= 3) s.insert(static_cast<std::size_t>(at), ",");
    return s;
}

std::string short_number(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    const double a = std::fabs(v);
    if (a == 0) return "0";
    if (a < 0.001 || a >= 1e5) return fmt::format("{:.2g}", v);
    if (a < 10) return fmt::format("{:.3f}", v);
    return fmt::format("{:.1f}", v);
}

std::string share_of(std::int64_t part, std::int64_t whole) {
    if (part == 0 || whole == 0) return grouped(part);
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (percent >= 1) return fmt::format("{:.0f} %", percent);
    return percent >= 0.01 ? fmt::format("{:.2g} %", percent) : grouped(part);
}

std::string shell_word(std::string_view s) {
    const auto safe = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
    };
    bool plain = !s.empty();
    for (char c : s) plain = plain && safe(c);
    if (plain) return std::string(s);
    std::string out = "'";
    for (char c : s) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace ulpgate
