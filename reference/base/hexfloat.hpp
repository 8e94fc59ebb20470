// Hex floats as this project writes them: 0x1.8p+0, always normalised, the same on every C library and locale
// (%a may write 0x0.0000000000001p-1022, to_chars drops the 0x, strtod follows the locale).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ulpgate {

// "0x1.8p+0", "-0x0p+0", "inf", "-inf", "nan".
std::string hexfloat(double);

// Hex (0x...) or decimal (to the nearest double), "inf", "-inf", "nan"; nothing may be left over.
std::optional<double> read_float(std::string_view);

}  // namespace ulpgate
