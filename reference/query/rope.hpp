// One pair of q_pe or k_pe rotated: (a c - b s, b c + a s).
#pragma once
#include <array>

#include "reference/query/projection.hpp"

namespace ulpgate {

struct Angle {
    float c, s;
};

// What a contract allows of a pair that may lie between two values; c and s as the table holds them. Proof: reference/query/proof.md.
std::array<Range, 2> rotated(Rope, Type t, const Range& a, const Range& b, Angle);
// As plain code does it: one_cast and table_f32 without FMA.
std::array<float, 2> rotated_once(Rope, Type t, float a, float b, Angle);

}  // namespace ulpgate
