#include "impls/avx512/vector_avx512.hpp"

#include "impls/testing/vector_checks.hpp"

namespace ulpgate::testing {
namespace {

TEST(Avx512Vector, widens_narrows_and_keeps_to_its_elements) {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl"))
        GTEST_SKIP() << "this CPU has no AVX-512 (F, BW, VL needed)";
    check_vector<kernel::avx512::Vector>();
}

}  // namespace
}  // namespace ulpgate::testing
