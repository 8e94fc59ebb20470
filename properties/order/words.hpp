// A tree in words: how many partial sums, which columns each takes, how they are joined.
#pragma once
#include <string>

#include "reference/orders/tree.hpp"

namespace ulpgate {

// "64 partial sums, each serial: 0 to 1472 by 64, ...; joined 16 apart in order, then by halving (8, 4, 2, 1)"
std::string order_words(const Tree&);

}  // namespace ulpgate
