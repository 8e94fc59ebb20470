// The kernel that ULPGATE_SUBJECT names, for a fuzz target: loaded into this process once. Without the variable there is none, and
// the target runs a model of its own. What cannot be loaded, or has no entry of the kind asked for, ends the program with its reason.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reference/contract/contract.hpp"

namespace ulpgate::fuzzing {

struct ChosenKernel {
    std::unique_ptr<Subject> subject;
    std::vector<Claim> claims;         // of its entries of the kind
    std::vector<std::size_t> entries;  // which these are

    Outcome run(const Claim&, const Tensors&) const;  // claim: one of claims
};

// The same kernel at each call. what: as the reason says it, "RMSNorm".
const ChosenKernel* chosen_kernel(Abi, const char* what);
// Its claims; empty without a kernel.
std::span<const Claim> claims_of(const ChosenKernel*);

}  // namespace ulpgate::fuzzing
