// A kernel called in this process, on the thread that asks: for what cannot leave it, such as a function of an interpreter. Poisons,
// canaries and the comparison of inputs hold as in a child; guard pages, limits and restarts do not: a crash ends this process.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "impls/subject/callee.hpp"
#include "impls/ulpgate_kernel.h"

namespace ulpgate {

struct HereKernel {
    const ulpgate_descriptor* descriptor = nullptr;  // as a library's, of ULPGATE_CPU; lives as long as the subject
    std::function<std::string()> why{};              // of a call that returned ULPGATE_FAILED; may be empty
    unsigned mxcsr = 0x1f80;                         // floating-point mode of the calls
};

// Tensors that a call kept stay mapped as long as `memory` of some call does; what they hold changes with the next one.
// An exception that the kernel throws comes out of Subject::run().
std::unique_ptr<Subject> open_here_subject(std::string text, HereKernel);

// During a call on this thread: keeps the memory of its tensors mapped.
std::shared_ptr<void> memory_of_call();

}  // namespace ulpgate
