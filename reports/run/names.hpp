// Names for a failing group: the contract that explains all its rows, else the faults of the bank that give its rows bit for
// bit. What only comes near gets no name.
#pragma once
#include <cstdint>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

struct FailingCase {  // of a failing group: its failing cases, then some that passed
    Tensors tensors;
    Outcome outcome;
    std::int64_t row = -1;  // the first failing one; -1: none
};

// Fills names, explained, unknown, excluded and fix.
void name_failure(Group&, const std::vector<FailingCase>&);

}  // namespace ulpgate
