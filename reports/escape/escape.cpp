#include "reports/escape/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ulpgate {
namespace {

struct Character {
    std::uint32_t code;  // not_utf8: the byte itself stands alone
    std::size_t length;
};
constexpr std::uint32_t not_utf8 = 0xffffffff;

// One character of well-formed UTF-8 (RFC 3629: no overlong form, no surrogate, at most 10ffff).
Character first(std::string_view s) {
    const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(s[k])); };
    const std::uint32_t b = byte(0);
    if (b < 0x80) return {b, 1};
    const std::size_t n = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
    if (b < 0xc2 || b > 0xf4 || s.size() < n) return {not_utf8, 1};
    std::uint32_t code = b & (0xffu >> (n + 1));
    for (std::size_t k = 1; k < n; ++k) {
        if ((byte(k) & 0xc0) != 0x80) return {not_utf8, 1};
        code = code << 6 | (byte(k) & 0x3f);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {not_utf8, 1};
    return {code, n};
}

bool hidden(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

// Every character through f; what must not be seen as itself is written out first.
template <class F>
std::string each(std::string_view s, bool lines, F f) {
    std::string out;
    while (!s.empty()) {
        const auto [code, length] = first(s);
        if (code == not_utf8) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(s[0]));
        else if (lines && (code == '\n' || code == '\t')) out += s[0];
        else if (code == '\n') out += "\\n";
        else if (hidden(code)) out += code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{{{:x}}}", code);
        else f(out, s.substr(0, length));
        s.remove_prefix(length);
    }
    return out;
}

std::string replaced(std::string_view s, std::string_view chars, bool lines) {
    return each(s, lines, [&](std::string& out, std::string_view c) {
        if (c.size() > 1 || chars.find(c[0]) == chars.npos) out += c;
        else out += fmt::format("&#{};", static_cast<int>(c[0]));
    });
}

std::string percent(std::string s, std::string_view chars) {
    std::string out;
    for (const char c : s)
        if (chars.find(c) == chars.npos) out += c;
        else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return out;
}

}  // namespace

std::string printable(std::string_view s) {
    return each(s, false, [](std::string& out, std::string_view c) { out += c; });
}

std::string markup(std::string_view s) { return replaced(s, "&<>\"'", true); }

std::string markdown(std::string_view s) { return replaced(s, "&<>\"'\\`*_{}[]()#+!|~@$:", false); }

std::string markdown_code(std::string_view s) {
    std::string text = printable(s);
    // A fence longer than any run of backticks inside; a bar would end a table's cell even here.
    std::size_t run = 0, longest = 0;
    for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
    std::string safe;
    for (const char c : text) safe += c == '|' ? std::string("\\|") : std::string(1, c);
    const std::string fence(longest + 1, '`');
    const bool pad = !safe.empty() && (safe.front() == '`' || safe.back() == '`');
    return fence + (pad ? " " : "") + safe + (pad ? " " : "") + fence;
}

std::string command_message(std::string_view s) {
    return percent(each(s, true, [](std::string& out, std::string_view c) { out += c; }), "%\r\n");
}
std::string command_property(std::string_view s) { return percent(printable(s), "%\r\n:,"); }

}  // namespace ulpgate
