// Integer expressions of a launch description: + - * / % comparisons, parentheses, min(a,b) max(a,b) ceil(a,b) roundup(a,b)
// over names. ceil(a,b) is a / b rounded up, roundup(a,b) the next multiple of b.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ulpgate::launch {

// The value of a name, or an exception.
using Lookup = std::function<std::int64_t(std::string_view name)>;

// Throws std::runtime_error: what is wrong and where in the text.
std::int64_t evaluate(std::string_view text, const Lookup&);

}  // namespace ulpgate::launch
