// The query path and the head in AVX-512, chosen at run time; impls/testing/avx512_portable_query.cpp is the same kernel in plain C++.
#include "impls/avx512/vector_avx512.hpp"
#include "impls/kernel/query_entries.hpp"

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    if (variant) return nullptr;
    const bool runs = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
    return kernel::describe_query<kernel::avx512::Vector>("avx512 query path", runs ? nullptr : "this CPU has no AVX-512 (F, BW, VL needed)");
}
