#include <gtest/gtest.h>

#include "impls/testing/rmsnorm_case.hpp"

namespace ulpgate::testing {
namespace {

constexpr Tree sequential{.lanes = 1, .accumulators = 1, .fma = false};

void expect_restated(const Shape& s) {
    static const Module module("scalar/scalar");
    LOAD_OR_SKIP(module);
    ASSERT_EQ(module.entries().size(), 6u);
    for (const ulpgate_entry& e : module.entries()) ASSERT_TRUE(equals_restated(e, sequential, s));
}

TEST(Scalar, every_size_at_the_machines_edges) {
    for (const std::int64_t d : edge_sizes) expect_restated({.d = d, .seed = static_cast<std::uint64_t>(d)});
}

TEST(Scalar, special_rows) { expect_restated({.rows = 64, .d = 11}); }

TEST(Scalar, any_stride_even_of_columns) {
    expect_restated({.rows = 5, .d = 33, .x_gap = 543, .y_gap = 1, .offset = 3});
    expect_restated({.rows = 5, .d = 33, .x_gap = 3, .y_gap = 2, .offset = 1, .column = 3});
}

TEST(Scalar, eps_is_the_calls) {
    for (const double eps : {0.0, 1e-5, 1.0}) expect_restated({.rows = 8, .d = 50, .eps = eps});
}

}  // namespace
}  // namespace ulpgate::testing
