// Bytes as a case, for fuzzers: every byte string is one, and a small change of it is a small change of the
// case. What is made is small: at most case_elements of x. An input is a segment program (fill value, then up
// to 12 of {start, stride 2^k, count, value}), which finds more than raw words do (worst errors of r: 22 to
// 26 ulp32 against 6 to 13), or a profile.
//
//   type and contract | map of the model | d | rows | eps | layout | what x holds | what w holds | ...
#pragma once
#include <cstdint>
#include <span>

#include "properties/cases/case.hpp"
#include "properties/relations/kept.hpp"

namespace ulpgate {

inline constexpr std::int64_t case_elements = 8192;

struct FuzzCase {
    Case input;
    Kept kept;  // its contract, and a model that keeps to it
};
// Bytes that are missing read as zero, bytes left over are ignored.
FuzzCase decode_case(std::span<const std::uint8_t>);

}  // namespace ulpgate
