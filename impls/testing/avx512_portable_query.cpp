// The AVX-512 query path over sixteen plain C++ lanes: its bits on every CPU, for the tests.
#include "impls/avx512/vector_portable.hpp"
#include "impls/kernel/query_entries.hpp"

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    return variant ? nullptr : kernel::describe_query<kernel::portable::Vector>("avx512 query path in plain C++", nullptr);
}
