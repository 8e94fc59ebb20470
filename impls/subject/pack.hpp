// From slots to the argument structs of ulpgate_kernel.h, and the call.
#pragma once
#include "impls/subject/protocol.hpp"
#include "impls/ulpgate_kernel.h"

namespace ulpgate::child {

union Arguments {
    ulpgate_call call;
    ulpgate_rmsnorm rmsnorm;
    ulpgate_mla_query query;
    ulpgate_linear linear;
};

// base: of the reservation. The workspace is filled in by the caller.
void pack(Arguments&, const Control&, char* base, const ulpgate_entry&);
int call(const Arguments&, const ulpgate_entry&);

}  // namespace ulpgate::child
