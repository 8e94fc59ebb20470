// The query path and the head in AVX2, FMA and F16C, chosen at run time.
#include "impls/avx2/vector.hpp"
#include "impls/kernel/query_entries.hpp"

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    if (variant) return nullptr;
    const bool runs =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    return kernel::describe_query<kernel::avx2::Vector>("avx2 query path", runs ? nullptr : "this CPU has no AVX2 (FMA and F16C needed too)");
}
