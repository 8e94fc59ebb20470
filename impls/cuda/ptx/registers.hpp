// Where a kernel's registers lie in a warp. PTX names a register for every value; those that live inside one basic block
// share places, so that a warp's registers stay in the first-level cache.
#pragma once
#include <cstdint>
#include <vector>

#include "impls/cuda/ptx/module.hpp"

namespace ulpgate::ptx {

struct Placement {
    std::vector<std::int32_t> at;  // byte offset of each register's 32 lanes; of a predicate's 32 bits
    std::uint32_t bytes = 0;
};
// A place is shared only by registers of which a lane writes each, without a guard, before it reads it: what is read before it
// is written keeps a place of its own, and its poison.
Placement place_registers(const KernelText&);

}  // namespace ulpgate::ptx
