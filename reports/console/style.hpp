// Colour where it is wanted, and numbers as a reader likes them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ulpgate {

enum class Paint { plain, ansi };

struct Style {
    Paint paint = Paint::plain;
    std::string red(std::string_view s) const { return with("31;1", s); }
    std::string green(std::string_view s) const { return with("32", s); }
    std::string yellow(std::string_view s) const { return with("33", s); }
    std::string bold(std::string_view s) const { return with("1", s); }
    std::string dim(std::string_view s) const { return with("2", s); }

  private:
    std::string with(std::string_view code, std::string_view s) const {
        if (paint == Paint::plain) return std::string(s);
        return "\x1b[" + std::string(code) + "m" + std::string(s) + "\x1b[0m";
    }
};

// when: auto, always, never. NO_COLOR in the environment turns auto off.
Style style_for(std::string_view when, int descriptor);

std::string grouped(std::int64_t n);        // 786,432
std::string short_number(double v);         // 1.441, 12.3, 4.1e+05, inf, nan
std::string share_of(std::int64_t part, std::int64_t whole);  // 0, 26 %, 0.31 %
// Words of a command line, quoted where a shell needs it.
std::string shell_word(std::string_view);

}  // namespace ulpgate
