// A second opinion: the formula written down in Boost's cpp_bin_float_100 (334 bits), rounded straight to the format. It is
// slow, shares no code with the oracle, and is itself no oracle: on near-ties closer than 2^-333 it rounds wrongly.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "reference/oracle/oracle.hpp"

namespace ulpgate {

// As oracle_row, for finite x and w with S/d + eps > 0.
void naive_row(Oracle, const OracleTypes&, std::span<const float> x, std::span<const float> w, double eps,
               std::span<std::uint32_t> y);

struct SelfCheck {
    int checked = 0, failed = 0;
    std::string first;  // the first failure in words, with its row's seed; "" when none
};

// `count` elements over types, orders of the gain, row lengths and magnitudes: oracle against naive.
SelfCheck oracle_self_check(int count, std::uint64_t seed);

}  // namespace ulpgate
