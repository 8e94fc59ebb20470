#include "impls/avx2/vector.hpp"

#include "impls/testing/vector_checks.hpp"

namespace ulpgate::testing {
namespace {

TEST(Avx2Vector, widens_narrows_and_keeps_to_its_elements) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
        GTEST_SKIP() << "this CPU has no AVX2 (FMA and F16C needed too)";
    check_vector<kernel::avx2::Vector>();
}

}  // namespace
}  // namespace ulpgate::testing
