// Numbers that libFuzzer is to make large: a counter that fires only where a value is the largest so far, 1/32 of an octave at
// least above the one before. A coarse histogram of every value steers worse (22 ulp32 in r against 25).
#pragma once
#include <cstddef>

namespace ulpgate::fuzzing {

inline constexpr std::size_t record_kinds = 4, record_classes = 32 * 64;

// what: 0 to record_kinds - 1, its own scale each. True where it is a record.
bool record(std::size_t what, double value);

}  // namespace ulpgate::fuzzing
