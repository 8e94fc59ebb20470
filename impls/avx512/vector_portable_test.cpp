#include "impls/avx512/vector_portable.hpp"

#include "impls/testing/vector_checks.hpp"

namespace ulpgate::testing {
namespace {

TEST(PortableVector, widens_narrows_and_keeps_to_its_elements) { check_vector<kernel::portable::Vector>(); }

}  // namespace
}  // namespace ulpgate::testing
