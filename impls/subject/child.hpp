// The child's side of protocol.hpp: one kernel, described and called, a case at a time. Whatever happens here may be the kernel's
// doing: the parent watches.
#pragma once
#include <functional>
#include <string>

#include "impls/ulpgate_kernel.h"

namespace ulpgate::child {

struct Loaded {
    const ulpgate_descriptor* descriptor = nullptr;  // null: not loaded, and why
    std::string error{};
    const char* (*why)() = nullptr;  // as ulpgate_why()
};

// Calls load() once, with signals caught, then serves the parent until it goes; both end the process. Comes back only where the
// descriptors of protocol.hpp are not there: nobody started it as a child.
int serve(const std::function<Loaded()>& load);

}  // namespace ulpgate::child
