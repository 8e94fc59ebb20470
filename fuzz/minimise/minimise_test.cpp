#include "fuzz/minimise/minimise.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ulpgate::fuzzing {
namespace {

Case read(const std::string& line) {
    Case c;
    const auto bad = parse(line, c);
    EXPECT_FALSE(bad) << line << ": " << (bad ? bad->what : "");
    return c;
}

std::vector<std::uint32_t> row_of(const Case& c, std::int64_t row) {
    const Made m = make(c);
    EXPECT_EQ(m.error, "");
    const Tensor& x = *m.tensors.find("x");
    std::vector<std::uint32_t> w;
    for (std::int64_t j = 0; j < x.width(); ++j) w.push_back(x.word(x.row_at(row) + j));
    return w;
}

RC_GTEST_PROP(Minimise, AProgramGivesItsWords, (std::vector<std::uint8_t> few)) {
    RC_PRE(!few.empty());
    std::vector<std::uint32_t> words;
    for (const auto v : few) words.push_back(v % 5);
    Case c;
    c.d = static_cast<std::int64_t>(words.size());
    c.program = program_of(words);
    RC_ASSERT(row_of(c, 0) == words);
    RC_ASSERT(read(print(c)) == c);
}

// A failure that two columns make together, in a wide, strided, many-rowed case of a profile.
TEST(Minimise, LeavesTheColumnsThatMatter) {
    const Case start = read("final_norm/bf16/300/profile=gaussian/rows=7/ld=311/offset=3/seed=5/gain=random");
    const auto fails = [&](const Case& c) {
        if (c.d < 18) return false;
        const auto w = row_of(c, 0);
        return w[3] != 0 && w[17] != 0;
    };
    ASSERT_TRUE(fails(start)) << "the seed no longer shows it";
    const auto m = minimise(start, 0, 1, 1, 2000, fails);
    EXPECT_TRUE(fails(m.smallest));
    EXPECT_EQ(m.smallest.d, 18);
    EXPECT_EQ(m.smallest.tokens, 1);
    EXPECT_EQ(m.smallest.ld, 0);
    EXPECT_EQ(m.smallest.offset, 0);
    EXPECT_EQ(m.smallest.gain, "ones");
    std::size_t different = 0;
    const auto w = row_of(m.smallest, 0);
    for (const auto v : w) different += v != *m.smallest.program.fill;
    EXPECT_LE(different, 2u) << print(m.smallest);
    EXPECT_LE(m.tried, 2000);
}

TEST(Minimise, KeepsToTheWidthsThatTheKernelTakes) {
    const Case start = read("q_a_layernorm/bf16/256/profile=gaussian/seed=5");
    const auto m = minimise(start, 0, 32, 32, 500, [](const Case& c) { return c.d >= 70; });
    EXPECT_EQ(m.smallest.d, 96);
    int calls = 0;
    EXPECT_EQ(minimise(start, 0, 1, 1, 9, [&](const Case&) { return ++calls, true; }).tried, 9);
    EXPECT_EQ(calls, 9);
}

}  // namespace
}  // namespace ulpgate::fuzzing
