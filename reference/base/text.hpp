// Small text tools shared by every reader: an error with its place, whole-string integers, splitting.
#pragma once
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ulpgate {

struct ParseError {
    std::size_t at;    // offset in the text that was given
    std::string what;  // what is wrong and what would be right
};

// The whole of `s` as an integer; false on anything left over, an empty string or overflow.
template <class I>
bool parse_integer(std::string_view s, I& out, int base = 10) {
    const auto [p, e] = std::from_chars(s.data(), s.data() + s.size(), out, base);
    return e == std::errc{} && p == s.data() + s.size() && !s.empty();
}

inline std::vector<std::string_view> split(std::string_view s, char by) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0;;) {
        const auto end = s.find(by, at);
        out.push_back(s.substr(at, end == s.npos ? s.npos : end - at));
        if (end == s.npos) return out;
        at = end + 1;
    }
}

// The candidate nearest to `word` by edit distance, or "" when none is near: for "did you mean".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace ulpgate
