// Outputs of one-column rows, many at a time: which are allowed for certain.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "reference/contract/contract.hpp"

namespace ulpgate::fuzzing {

struct Decided {
    std::vector<std::uint32_t> open;  // indices of those that are left
    double worst_ulp = 0;             // of those that are finite, against real arithmetic
    std::uint32_t worst = 0;          // its index
};

// Whether decide() takes this contract: f32 in and out, a gain as given, multiplied, no residual, rsqrt 0 to 64.
bool can_decide(const Contract&, double eps);
// x, y: one word a row; w: the gain of them all. 2^-60 <= eps <= 2^60.
void decide(const Contract&, double eps, float w, std::span<const float> x, std::span<const float> y, Decided&);

}  // namespace ulpgate::fuzzing
