// The vector kernels against the restatement, in every instantiation. avx512 and avx512_portable answer to
// the same tree on the same cases: equal bits to each other too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "impls/testing/rmsnorm_case.hpp"
#include "reference/formats/convert.hpp"

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

// What is larger than the caches may be written past them: the same bits, row for row, as a call of few rows gives,
// wherever y begins and however far apart its rows are.
TEST_P(VectorKernel, calls_larger_than_the_caches_give_the_same_bits) {
    constexpr std::int64_t d = 1537;
    const auto compare = [](const ulpgate_entry& e, const Contract& c, std::int64_t stride, std::int64_t off) {
        const auto x_size = static_cast<std::size_t>(bytes(c.x)), y_size = static_cast<std::size_t>(bytes(c.y));
        const std::int64_t rows = (std::int64_t{33} << 20) / (d * static_cast<std::int64_t>(x_size + y_size)) + 1;
        const auto room = [&](std::size_t size) {
            const auto n = static_cast<std::size_t>(rows * stride + off) * size;
            return std::unique_ptr<std::byte, void (*)(void*)>(static_cast<std::byte*>(std::aligned_alloc(64, (n + 63) / 64 * 64)), std::free);
        };
        const auto x = room(x_size), y = room(y_size), z = room(y_size);
        std::vector<float> values(static_cast<std::size_t>(stride) * 16), gain(d);
        Rng rng(3, 0, 0);
        for (float& v : values) v = static_cast<float>(rng.gauss()) * 0x1p-16f;
        for (float& v : gain) v = static_cast<float>(rng.gauss()) * 0x1p-16f;
        const std::size_t piece = values.size() * x_size, all = static_cast<std::size_t>(rows * stride) * x_size;
        encode_words(c.x, values, x.get());
        for (std::size_t at = piece; at < all; at += piece) std::memcpy(x.get() + at, x.get(), std::min(piece, all - at));
        std::vector<std::byte> w(d * static_cast<std::size_t>(bytes(c.w)));
        encode_words(c.w, gain, w.data());
        std::memset(y.get(), 0x71, static_cast<std::size_t>(rows * stride + off) * y_size);
        std::memset(z.get(), 0x71, static_cast<std::size_t>(rows * stride + off) * y_size);
        const auto call = [&](std::byte* out, std::int64_t from, std::int64_t n) {
            const auto tensor = [&](std::byte* p, Type t, std::uint32_t rank) {
                ulpgate_tensor v{};
                v.data = p;
                v.type = static_cast<std::uint32_t>(t);
                v.rank = rank;
                v.size[0] = rank == 2 ? n : d;
                v.size[1] = d;
                v.stride[0] = rank == 2 ? stride : 1;
                v.stride[1] = 1;
                return v;
            };
            ulpgate_rmsnorm a{};
            a.call.size = sizeof a;
            a.call.entry = &e;
            a.call.threads = 1;
            a.rows = a.tokens = n;
            a.batch = 1;
            a.d = a.d_stat = d;
            a.eps = 1e-6;
            a.x = tensor(x.get() + static_cast<std::size_t>(from * stride) * x_size, c.x, 2);
            a.y = tensor(out + static_cast<std::size_t>(from * stride + off) * y_size, c.y, 2);
            a.w = tensor(w.data(), c.w, 1);
            return e.rmsnorm(&a);
        };
        ASSERT_EQ(call(y.get(), 0, rows), ULPGATE_OK);
        for (std::int64_t i = 0; i < rows; i += rows / 3) ASSERT_EQ(call(z.get(), i, std::min(rows / 3, rows - i)), ULPGATE_OK);
        ASSERT_EQ(std::memcmp(y.get(), z.get(), static_cast<std::size_t>(rows * stride + off) * y_size), 0) << e.contract << " stride " << stride << " off " << off;
    };
    bool by_stride = false;
    for (const ulpgate_entry& e : module.entries()) {
        const Contract c = contract_of(e);
        if (c.residual != Residual::none) continue;
        compare(e, c, 1552, 0);
        if (by_stride) compare(e, c, 1551, 0);
        else compare(e, c, 1552, 1);
        by_stride = !by_stride;
    }
}

}  // namespace
}  // namespace ulpgate::testing
