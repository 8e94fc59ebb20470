// PTX text to tokens (PTX ISA 4: source format). Comments, .loc, .file and .section lines are left out.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ulpgate::ptx {

struct Token {
    std::string_view text;  // of the source, which must live on; "" at the end
    int line;               // of the source, from 1
};

// The last token is empty. Throws Error where a string or comment does not end.
std::vector<Token> lex(std::string_view source);

}  // namespace ulpgate::ptx
