// A double from digits as std::from_chars reads it. libc++ has none for numbers with a point before LLVM 20: there, strtod in the C
// locale, held to the same grammar.
#pragma once
#include <locale.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace ulpgate {

// Where every text of digits begins; a sign, a name or a space is none.
inline bool begins_digits(std::string_view s, bool hex) {
    return !s.empty() && s.find_first_of(hex ? "0123456789abcdefABCDEF." : "0123456789.") == 0;
}

inline bool read_digits_by_strtod(std::string_view s, bool hex, double& out) {
    if (!begins_digits(s, hex) || s.find_first_of("xX") != s.npos || s.find('\0') != s.npos) return false;
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    const std::string text = (hex ? "0x" : "") + std::string(s);
    char* end = nullptr;
    out = strtod_l(text.c_str(), &end, c_locale);
    if (end != text.c_str() + text.size() || std::isinf(out)) return false;
    const auto digits = s.substr(0, s.find_first_of(hex ? "pP" : "eE"));
    return out != 0 || digits.find_first_not_of("0.") == digits.npos;
}

// All of the text: digits, a point, an exponent; no sign, no name, no 0x. False also where the value is beyond the type's range.
inline bool read_digits(std::string_view s, bool hex, double& out) {
    if (s.find("+-") != s.npos) return false;  // libstdc++ 12 takes 0x1p+-6
    if (!begins_digits(s, hex)) return false;
#if defined(__cpp_lib_to_chars)
    const auto [p, e] = std::from_chars(s.data(), s.data() + s.size(), out, hex ? std::chars_format::hex : std::chars_format::general);
    return e == std::errc{} && p == s.data() + s.size();
#else
    return read_digits_by_strtod(s, hex, out);
#endif
}

}  // namespace ulpgate
