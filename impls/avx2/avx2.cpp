// RMSNorm in AVX2, FMA and F16C, chosen at run time: this file is compiled for the baseline, each vector
// function for its own target, and the descriptor says why where the CPU lacks one.
#include "impls/avx2/vector.hpp"
#include "impls/kernel/entries.hpp"

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    if (variant) return nullptr;
    const bool runs =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    return kernel::describe<kernel::avx2::Vector>(
        "avx2", runs ? nullptr : "this CPU has no AVX2 (FMA and F16C needed too)");
}
