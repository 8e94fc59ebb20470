// Names for a failing group: the contract that explains all its rows, else the faults of the bank that give its rows bit for
// bit. What only comes near gets no name.
#pragma once
#include <cstdint>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/explain/explain.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

struct FailingCase {  // of a failing group: its failing cases, then some that passed
    Tensors tensors;
    Outcome outcome;
    std::int64_t row = -1;  // the first failing one; -1: none
};

// Fills names, explained, unknown, excluded and fix. With a call rows are built that tell the listed arithmetics apart; without
// one (files) the rows at hand must do.
void name_failure(Group&, const std::vector<FailingCase>&, const KernelCall& call = {});

}  // namespace ulpgate
