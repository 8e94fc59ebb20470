// The AVX-512 kernel over sixteen plain C++ lanes: its bits on every CPU.
#include "impls/avx512/vector_portable.hpp"
#include "impls/kernel/entries.hpp"

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    return variant ? nullptr : kernel::describe<kernel::portable::Vector>("avx512_portable", nullptr);
}
