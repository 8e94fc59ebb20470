// A run as one self-contained page: no network, no script, light and dark, readable at 400 px. A verdict, what passed rows would have
// shown, each failure with its replay, plots as inline SVG with their numbers in a table beside them, environment folded.
#pragma once
#include <string>

#include "reports/result/result.hpp"

namespace ulpgate {

std::string to_html(const Result&);

}  // namespace ulpgate
