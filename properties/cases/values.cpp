#include "properties/cases/values.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reference/base/hexfloat.hpp"

namespace ulpgate {
namespace {

int digits(Type t) { return bytes(t) * 2; }

// START+STRIDE, then xCOUNT, w or both.
struct Columns {
    Segment segment;
    bool counted = false, words = false;
};

bool read_columns(std::string_view s, Columns& c) {
    const auto plus = s.find('+');
    if (plus == s.npos || !parse_integer(s.substr(0, plus), c.segment.start)) return false;
    s.remove_prefix(plus + 1);
    c.words = s.ends_with('w');
    if (c.words) s.remove_suffix(1);
    const auto x = s.find('x');
    c.counted = x != s.npos;
    if (c.counted && !parse_integer(s.substr(x + 1), c.segment.count)) return false;
    return (c.counted || c.words) && parse_integer(s.substr(0, x), c.segment.stride);
}

std::string read_words(std::string_view s, Type t, std::vector<std::uint32_t>& words) {
    const auto n = static_cast<std::size_t>(digits(t));
    if (s.empty() || s.size() % n) return fmt::format("words of {} have {} hex digits each", name(t), n);
    for (std::size_t at = 0; at < s.size(); at += n)
        if (!parse_integer(s.substr(at, n), words.emplace_back(), 16))
            return fmt::format("'{}' is not a word of {} hex digits", s.substr(at, n), n);
    return "";
}

std::string fits(const Segment& s, std::int64_t d) {
    if (s.start < 0 || s.stride < 1 || s.count < 1) return "START is at least 0, STRIDE and COUNT at least 1";
    if (s.start >= d || s.count - 1 > (d - 1 - s.start) / s.stride)
        return fmt::format("reaches beyond the last column {}", d - 1);
    return "";
}

// The error's place is within the one segment.
std::optional<ParseError> read_segment(std::string_view text, Type t, std::int64_t d, Segment& out) {
    const auto colon = text.find(':');
    Columns c;
    if (colon == text.npos || !read_columns(text.substr(0, colon), c))
        return ParseError{0, fmt::format("'{}' is not START+STRIDExCOUNT:VALUE or START+STRIDEw:HEX", text)};
    const auto value = text.substr(colon + 1);
    const auto bad = c.words ? read_words(value, t, c.segment.words)
                             : read_value(value, t, c.segment.words.emplace_back());
    if (!bad.empty()) return ParseError{colon + 1, bad};
    if (!c.counted) c.segment.count = static_cast<std::int64_t>(c.segment.words.size());
    if (auto what = fits(c.segment, d); !what.empty())
        return ParseError{0, fmt::format("segment '{}': {}", text.substr(0, colon), what)};
    out = std::move(c.segment);
    return {};
}

}  // namespace

std::string read_value(std::string_view text, Type t, std::uint32_t& word) {
    if (text.starts_with('b')) {
        if (text.size() - 1 <= static_cast<std::size_t>(digits(t)) && parse_integer(text.substr(1), word, 16))
            return "";
        return fmt::format("'{}' is not b and a word of {} hex digits", text, digits(t));
    }
    const auto v = read_float(text);
    if (!v || std::isnan(*v))
        return fmt::format("'{}' is not a value: a hex float such as 0x1.8p+0, inf, -inf, or bHEX", text);
    if (std::isfinite(*v) && static_cast<double>(round_to(t, *v)) != *v)
        return fmt::format("'{}' is not exact in {}; the nearest value is {}", text, name(t),
                           hexfloat(static_cast<double>(round_to(t, *v))));
    word = encode(t, *v);
    return "";
}

std::string print_value(Type t, std::uint32_t word) {
    const float v = decode(t, word);
    if (std::isnan(v)) return fmt::format("b{:0{}x}", word, digits(t));
    if (v == 0) return std::signbit(v) ? "-0" : "0";
    return hexfloat(static_cast<double>(v));
}

std::optional<ParseError> read_segments(std::string_view text, Type t, std::int64_t d,
                                        std::vector<Segment>& out) {
    std::size_t at = 0;
    for (const auto item : split(text, ',')) {
        if (out.size() == most_segments)
            return ParseError{at, fmt::format("more than {} segments", most_segments)};
        if (auto bad = read_segment(item, t, d, out.emplace_back())) return bad->at += at, bad;
        at += item.size() + 1;
    }
    return {};
}

std::string print_segments(Type t, const std::vector<Segment>& segments) {
    std::string s;
    for (const Segment& g : segments) {
        s += fmt::format("{}{}+{}", s.empty() ? "" : ",", g.start, g.stride);
        if (g.words.size() == 1) {
            s += fmt::format("x{}:{}", g.count, print_value(t, g.words[0]));
            continue;
        }
        if (g.count != static_cast<std::int64_t>(g.words.size())) s += fmt::format("x{}", g.count);
        s += "w:";
        for (const auto w : g.words) s += fmt::format("{:0{}x}", w, digits(t));
    }
    return s;
}

}  // namespace ulpgate
