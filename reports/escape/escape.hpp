// Text from outside (subject names, paths, a kernel's own words) made safe for what it is written into. Bytes that are not UTF-8,
// control characters and characters that reorder text are shown as \xHH or \u{HHHH} everywhere.
#pragma once
#include <string>
#include <string_view>

namespace ulpgate {

// For a terminal or a log: one line; a newline is shown as \n.
std::string printable(std::string_view);
// For XML 1.0 and HTML, in text and in quoted attributes; newline and tab stay.
std::string markup(std::string_view);
// For Markdown as GitHub renders it, in a table cell or a sentence: no formatting, no link, no mention, no HTML, one line.
std::string markdown(std::string_view);
// The same as a code span, whatever backticks it holds.
std::string markdown_code(std::string_view);
// For a workflow command of GitHub's: after `::`, and as the value of a property.
std::string command_message(std::string_view);
std::string command_property(std::string_view);

}  // namespace ulpgate
