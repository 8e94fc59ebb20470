// The vector kernels against the restatement, in every instantiation. avx512 and avx512_portable answer to
// the same tree on the same cases: equal bits to each other too.
#include <gtest/gtest.h>

#include <set>

#include "impls/testing/rmsnorm_case.hpp"

namespace ulpgate::testing {
namespace {

struct Built {
    const char* module;
    Tree tree;
};
std::string label(const ::testing::TestParamInfo<Built>& b) {
    const std::string name = b.param.module;
    return name.substr(name.find('/') + 1);
}

class VectorKernel : public ::testing::TestWithParam<Built> {
  protected:
    void SetUp() override { LOAD_OR_SKIP(module); }
    void expect_restated(const Shape& s) {
        for (const ulpgate_entry& e : module.entries()) {
            Shape shape = s;
            if (contract_of(e).inplace == InPlace::never) shape.in_place = false;
            ASSERT_TRUE(equals_restated(e, GetParam().tree, shape));
        }
    }
    Module module{GetParam().module};
};
INSTANTIATE_TEST_SUITE_P(Kernels, VectorKernel,
                         ::testing::Values(Built{"avx2/avx2", {8, 4}}, Built{"avx512/avx512", {16, 4}},
                                           Built{"avx512/avx512_portable", {16, 4}}),
                         label);

TEST_P(VectorKernel, claims_are_in_the_printed_form_and_differ) {
    std::set<std::string> seen;
    for (const ulpgate_entry& e : module.entries()) {
        EXPECT_EQ(print(contract_of(e)), e.contract);
        EXPECT_TRUE(seen.insert(e.contract).second) << e.contract;
    }
    EXPECT_EQ(seen.size(), 26u);
}

TEST_P(VectorKernel, every_size_at_the_machines_edges) {
    for (const std::int64_t d : edge_sizes) expect_restated({.d = d, .seed = static_cast<std::uint64_t>(d)});
}

TEST_P(VectorKernel, every_number_of_rows) {
    for (const std::int64_t rows : {0, 1, 2, 9, 255, 256, 257}) expect_restated({.rows = rows, .d = 67});
}

TEST_P(VectorKernel, any_row_stride_leaves_the_gaps_alone) {
    for (const std::int64_t d : {33, 512})
        for (const std::int64_t ld : {d, d + 1, std::int64_t{576}, std::int64_t{2112}}) {
            expect_restated({.rows = 5, .d = d, .x_gap = ld - d});
            expect_restated({.rows = 5, .d = d, .y_gap = ld - d});
            expect_restated({.rows = 5, .d = d, .x_gap = ld - d, .y_gap = ld - d, .in_place = true});
        }
}

TEST_P(VectorKernel, any_alignment) {
    for (int offset = 0; offset < 16; ++offset) {
        expect_restated({.rows = 3, .d = 139, .x_gap = 1, .offset = offset});
        expect_restated({.rows = 3, .d = 139, .offset = offset, .in_place = true});
    }
}

TEST_P(VectorKernel, any_number_of_threads) {
    for (std::uint32_t threads = 0; threads <= 4; ++threads)
        for (const std::int64_t rows : {0, 1, 3, 4, 7}) {
            expect_restated({.rows = rows, .d = 83, .x_gap = 2, .threads = threads});
            expect_restated({.rows = rows, .d = 83, .threads = threads, .in_place = true});
        }
    expect_restated({.rows = 200, .d = 3, .threads = 1000});
    // Enough work for the kernel's own choice to be several.
    ASSERT_TRUE(
        equals_restated(module.entries().front(), GetParam().tree, {.rows = 128, .d = 1536, .threads = 0}));
}

TEST_P(VectorKernel, in_place_at_the_edges) {
    for (const std::int64_t d : edge_sizes) expect_restated({.rows = 4, .d = d, .in_place = true, .seed = 7});
}

TEST_P(VectorKernel, eps_is_the_calls) {
    for (const double eps : {0.0, 1e-5, 3 * 0x1p-20, 1.0}) expect_restated({.rows = 8, .d = 50, .eps = eps});
}

TEST_P(VectorKernel, refuses_what_it_does_not_do_and_writes_nothing) {
    const ulpgate_entry& e = module.entries().front();
    Matrix x(Type::bf16, 2, 4, 8, 0, 2), y(Type::bf16, 2, 4, 4, 0), w(Type::bf16, 4, 0);
    const auto before = y.memory();
    const auto status = [&](auto change) {
        ulpgate_rmsnorm a{};
        a.call.size = sizeof a;
        a.call.threads = 1;
        a.rows = 2;
        a.d = a.d_stat = 4;
        a.x = a.y = y.tensor();
        a.w = w.tensor();
        change(a);
        return e.rmsnorm(&a);
    };
    EXPECT_EQ(status([&](auto& a) { a.x = x.tensor(); }), ULPGATE_REFUSED) << "strided columns";
    EXPECT_EQ(status([&](auto& a) { a.d_stat = 3; }), ULPGATE_REFUSED);
    EXPECT_EQ(status([&](auto& a) { a.beta = w.tensor(); }), ULPGATE_REFUSED);
    EXPECT_EQ(status([&](auto& a) { a.residual = a.residual_out = x.tensor(); }), ULPGATE_REFUSED);
    EXPECT_EQ(status([&](auto& a) { a.d = a.d_stat = 0; }), ULPGATE_BAD_ARGUMENT);
    EXPECT_EQ(status([&](auto& a) { a.rows = -1; }), ULPGATE_BAD_ARGUMENT);
    EXPECT_EQ(status([&](auto& a) { a.x.type = ULPGATE_F16; }), ULPGATE_BAD_ARGUMENT);
    EXPECT_EQ(status([&](auto& a) { a.w.data = nullptr; }), ULPGATE_BAD_ARGUMENT);
    EXPECT_EQ(y.memory(), before);
}

}  // namespace
}  // namespace ulpgate::testing
