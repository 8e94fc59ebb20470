// Machine, compiler and mode of this process, and the oracle's self-check.
#pragma once
#include "reports/result/result.hpp"

namespace ulpgate {

Context machine_context();
// `count` elements of the certified oracle against the naive big-float reference; fills the context's self_check fields.
void self_check(Context&, int count, std::uint64_t seed);

}  // namespace ulpgate
