// SHA-1 (FIPS 180-4) as 40 hex digits: names of files by what they hold, as fuzzers name them. No defence against anyone.
#pragma once
#include <string>
#include <string_view>

namespace ulpgate {

std::string sha1(std::string_view bytes);

}  // namespace ulpgate
