// A run as Markdown for a step summary or a comment on a pull request. The first line is a marker, an HTML comment, by which the
// next run finds the comment to update. Failures come first; what does not fit into 64 kB is left out with a line that says so.
#pragma once
#include <cstddef>
#include <string>

#include "reports/result/result.hpp"

namespace ulpgate {

inline constexpr std::size_t markdown_limit = 65536;  // bytes; what a comment on GitHub may hold in characters

// marker: "ulpgate" unless several comments are to stand side by side.
std::string to_markdown(const Result&, const std::string& marker = "ulpgate");

}  // namespace ulpgate
