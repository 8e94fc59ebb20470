// The vector kernels of the query path against the restatement, in every instantiation. avx512 and avx512_portable answer to the
// same order on the same cases: equal bits to each other too.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "impls/testing/module.hpp"
#include "impls/testing/query_case.hpp"

namespace ulpgate::testing {
namespace {

struct Built {
    const char* module;
    int lanes;
};

class VectorQuery : public ::testing::TestWithParam<Built> {
  protected:
    void SetUp() override {
        LOAD_OR_SKIP(module);
        kernel = std::make_unique<DirectKernel>(ULPGATE_HOME "/kernels/" + module.name + ".so");
    }
    static Contract contract_of(const ulpgate_entry& e) {
        Claim claim;
        EXPECT_FALSE(parse(e.contract, claim)) << e.contract;
        return claim.empty() ? Contract{} : claim.front();
    }
    void expect_restated(const QueryShape& s) {
        for (std::size_t k = 0; k < module.entries().size(); ++k) {
            const ulpgate_entry& e = module.entries()[k];
            const Contract c = contract_of(e);
            if (s.rank == 0 && c.bias != Bias::none) continue;
            // Held to their exact sets by properties/judge: what they add has more than one right order.
            if (c.kv != Kv::none || c.absorb != Absorb::no || c.rope != Rope::none) continue;
            ASSERT_TRUE(equals_restated(*kernel, k, *find_op(e.linear ? "head" : "mla_query"), c, GetParam().lanes, s));
        }
    }
    Module module{GetParam().module};
    std::unique_ptr<DirectKernel> kernel;
};
INSTANTIATE_TEST_SUITE_P(Kernels, VectorQuery,
                         ::testing::Values(Built{"avx2/avx2_query", 8}, Built{"avx512/avx512_query", 16}, Built{"testing/avx512_portable_query", 16}),
                         [](const auto& b) { const std::string name = b.param.module; return name.substr(name.find('/') + 1); });

TEST_P(VectorQuery, claims_are_in_the_printed_form_and_differ) {
    std::set<std::string> seen;
    for (const ulpgate_entry& e : module.entries()) {
        EXPECT_EQ(print(contract_of(e)), e.contract);
        EXPECT_TRUE(seen.insert((e.linear ? "head " : "query ") + std::string(e.contract)).second) << e.contract;
    }
    EXPECT_EQ(seen.size(), 17u);
}

TEST_P(VectorQuery, every_number_of_tokens_gives_the_same_bits) {
    for (const std::int64_t tokens : {0, 1, 2, 3, 4, 5, 6, 7, 9, 13}) expect_restated({.tokens = tokens, .hidden = 70, .rank = 37});
    expect_restated({.batch = 2, .tokens = 97, .hidden = 33, .rank = 9});  // more than one block of tokens
}

TEST_P(VectorQuery, every_width_at_the_edges) {
    for (const std::int64_t d : {1, 7, 8, 15, 16, 17, 31, 33, 127, 128, 129, 511, 512, 513, 1030})
        for (const std::int64_t tokens : {1, 5}) expect_restated({.tokens = tokens, .hidden = d, .rank = 19, .out = 17, .seed = static_cast<std::uint64_t>(d)});
    for (const std::int64_t rank : {1, 8, 31, 32, 33, 130, 513})
        for (const std::int64_t tokens : {1, 4}) expect_restated({.tokens = tokens, .hidden = 24, .rank = rank, .heads = 3, .nope = 11, .rope = 6, .out = rank});
}

TEST_P(VectorQuery, without_a_rank_there_is_no_norm) {
    for (const std::int64_t tokens : {1, 6}) expect_restated({.tokens = tokens, .hidden = 75, .rank = 0, .heads = 5});
}

TEST_P(VectorQuery, scales_meet_their_blocks) {
    for (const std::int64_t tokens : {1, 3, 8}) expect_restated({.tokens = tokens, .hidden = 300, .rank = 140, .heads = 2, .nope = 96, .rope = 48, .out = 260});
}

TEST_P(VectorQuery, any_stride_of_tokens_and_matrices) {
    for (const std::int64_t gap : {1, 13, 64})
        for (const std::int64_t tokens : {1, 5}) expect_restated({.batch = 2, .tokens = tokens, .hidden = 66, .h_gap = gap, .w_gap = gap});
}

TEST_P(VectorQuery, any_number_of_threads) {
    for (const std::uint32_t threads : {0u, 2u, 3u, 7u, 100u})
        for (const std::int64_t tokens : {1, 9}) expect_restated({.tokens = tokens, .hidden = 40, .rank = 70, .heads = 9, .out = 110, .threads = threads});
    expect_restated({.tokens = 3, .hidden = 2048, .rank = 64, .out = 256, .threads = 0});
}

TEST_P(VectorQuery, refuses_what_it_does_not_do) {
    const ulpgate_entry* query = &module.entries().front();
    std::vector<std::uint16_t> memory(4096, 0);
    std::vector<std::byte> workspace(1 << 22);
    const auto tensor = [&](std::initializer_list<std::int64_t> size) {
        ulpgate_tensor t{};
        t.data = memory.data();
        t.type = ULPGATE_BF16;
        for (const std::int64_t n : size) t.size[t.rank++] = n;
        std::int64_t stride = 1;
        for (std::uint32_t k = t.rank; k-- > 0; stride *= t.size[k]) t.stride[k] = stride;
        return t;
    };
    const auto status = [&](auto change) {
        ulpgate_mla_query a{};
        a.call.size = sizeof a;
        a.call.threads = 1;
        a.call.workspace = workspace.data();
        a.call.workspace_bytes = workspace.size();
        a.batch = 1, a.tokens = 2, a.hidden = 8, a.heads = 2, a.q_rank = 4, a.nope = 2, a.rope = 2;
        a.h = tensor({1, 2, 8});
        a.a.w = tensor({4, 8});
        a.q_gain = tensor({4});
        a.q_b.w = tensor({8, 4});
        a.q_nope = tensor({1, 2, 2, 2});
        change(a);
        return query->mla_query(&a);
    };
    EXPECT_EQ(status([](auto&) {}), ULPGATE_OK);
    EXPECT_EQ(status([](auto& a) { a.tokens = 0; }), ULPGATE_OK);
    EXPECT_EQ(status([](auto& a) { a.h.stride[2] = 2; }), ULPGATE_REFUSED) << "strided columns";
    EXPECT_EQ(status([](auto& a) { a.q_nope.stride[3] = 2; }), ULPGATE_REFUSED);
    EXPECT_EQ(status([](auto& a) { a.positions = a.h; }), ULPGATE_BAD_ARGUMENT) << "positions that are no i64";
    EXPECT_EQ(status([&](auto& a) { a.k_c = tensor({2, 3, 2}); }), ULPGATE_BAD_ARGUMENT) << "absorption without its output";
    EXPECT_EQ(status([&](auto& a) { a.k_input = tensor({1, 2, 4}); }), ULPGATE_BAD_ARGUMENT) << "k_input without a fused matrix";
    EXPECT_EQ(status([](auto& a) { a.tokens = -1; }), ULPGATE_BAD_ARGUMENT);
    EXPECT_EQ(status([](auto& a) { a.heads = 3; }), ULPGATE_BAD_ARGUMENT) << "heads that do not divide";
    EXPECT_EQ(status([](auto& a) { a.a.w.size[1] = 7; }), ULPGATE_BAD_ARGUMENT) << "shapes that do not multiply";
    EXPECT_EQ(status([&](auto& a) { a.tap_a = tensor({1, 2, 4}); }), ULPGATE_OK);
    EXPECT_EQ(status([&](auto& a) { a.tap_a = tensor({1, 2, 4}), a.tap_a.stride[1] = 3; }), ULPGATE_BAD_ARGUMENT) << "a tap whose rows overlap";
    EXPECT_EQ(status([&](auto& a) { a.tap_q_b = tensor({1, 2, 7}); }), ULPGATE_BAD_ARGUMENT) << "a tap of the wrong width";
    EXPECT_EQ(status([&](auto& a) { a.tap_norm = tensor({1, 3, 4}); }), ULPGATE_BAD_ARGUMENT) << "a tap of other tokens";
    EXPECT_EQ(status([](auto& a) { a.h.size[2] = 9; }), ULPGATE_BAD_ARGUMENT) << "h of another width";
    EXPECT_EQ(status([](auto& a) { a.h.type = ULPGATE_F16; }), ULPGATE_BAD_ARGUMENT);
    EXPECT_EQ(status([](auto& a) { a.q_gain.data = nullptr; }), ULPGATE_BAD_ARGUMENT);
    EXPECT_EQ(status([](auto& a) { a.call.workspace_bytes = 64; }), ULPGATE_FAILED);
    EXPECT_EQ(status([&](auto& a) {
                  a.a.scale = tensor({2, 1});
                  a.a.scale.type = ULPGATE_F32;
                  a.a.block[0] = a.a.block[1] = 128;
              }), ULPGATE_BAD_ARGUMENT) << "a table of the wrong size";
}

}  // namespace
}  // namespace ulpgate::testing
