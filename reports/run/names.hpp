// Names for a failing group: which faults of the bank, or which contract, give its rows bit for bit.
#pragma once
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/cases/case.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

struct FailingCase {
    Tensors tensors;
    Outcome outcome;
    Case c;
};

// Fills names and fix.
void name_failure(Group&, const std::vector<FailingCase>&);

}  // namespace ulpgate
