// The trace of what the executor runs: where ULPGATE_PTX_TRACE names a file, a line an instruction of a warp, in the order of
// execution: "block 0,0,0 warp 1 lanes 0000ffff line 57: add.rn.f32 %f3, %f1, %f2".
#pragma once
#include <string>

#include "impls/cuda/ptx/machine.hpp"

namespace ulpgate::launch {

// ptx::run, traced where that is wanted. Throws what it throws, and std::runtime_error where the file cannot be written.
void run_kernel(const std::string& kernel, const ptx::Program&, const ptx::Launch&, ptx::Memory&);

}  // namespace ulpgate::launch
