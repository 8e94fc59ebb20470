// What a claim allows element by element, and where outputs leave it: for messages and for people who look at arrays. That one
// scalar must give a whole row is the judge's question (judge.hpp); a row can fail it with no element outside.
#pragma once
#include <cstdint>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/judge/judge.hpp"
#include "reference/admissible/element_set.hpp"

namespace ulpgate {

// Of one row, by column: the union over the claim's members (every contract that is tried, where it claims nothing).
// Empty where a member has no proven set, or the operation is no RMSNorm.
std::vector<ElementSet> allowed_row(const Tensors&, const Outcome&, const Claim&, std::int64_t row);

struct Mismatches {
    std::int64_t outside = 0, elements = 0;
    struct At {
        std::int64_t row = -1, col = -1;  // -1: none
        std::uint32_t got = 0;
        ElementSet allowed;
        std::int64_t steps = 0;  // values of y's type between got and the nearest allowed one; INT64_MAX where one is NaN
    };
    At first, worst;  // in row-major order; the most steps outside
};
Mismatches mismatches(const Tensors&, const Outcome&, const Claim&);

}  // namespace ulpgate
