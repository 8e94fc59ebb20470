// Names for a failing group: the contract that explains all its rows, else the faults of the bank that give its rows bit for
// bit in some order of summation. What only comes near gets no name.
#pragma once
#include <vector>

#include "impls/subject/subject.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

struct FailingCase {
    Tensors tensors;
    Outcome outcome;
    std::int64_t witness_row = 0;
};
inline constexpr std::int64_t rows_looked_at = 16;  // of each failing case

// Fills names, explained and fix.
void name_failure(Group&, const std::vector<FailingCase>&);

}  // namespace ulpgate
