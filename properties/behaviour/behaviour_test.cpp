#include "properties/behaviour/behaviour.hpp"

#include <gtest/gtest.h>

#include "properties/order/in_process_test.hpp"

namespace ulpgate {
namespace {

const Relation& named(const std::vector<Relation>& all, std::string_view name) {
    for (const auto& r : all)
        if (r.name == name) return r;
    throw std::runtime_error("no relation " + std::string(name));
}

float lanes(std::span<const float> x, std::size_t n) {
    std::vector<float> s(n);
    for (std::size_t j = 0; j < x.size(); ++j) s[j % n] += x[j] * x[j];
    for (std::size_t k = 1; k < n; ++k) s[0] += s[k];
    return s[0];
}

TEST(Behaviour, OfARowByRowKernelIsTheSameEverywhere) {
    InProcess k("f32,cast_first,order=lanes:8x1,holds=rerun.batch");
    auto p = k.prober(96);
    const auto all = behaviour(p, k.model.contract, 3);
    ASSERT_EQ(all.size(), 5u);
    for (const auto& r : all) EXPECT_TRUE(r.held && r.comparisons > 0) << r.name << ": " << r.finding;
    EXPECT_TRUE(named(all, "batch").claimed);
    EXPECT_FALSE(named(all, "align").claimed);
}

TEST(Behaviour, BlockByBatchIsSeen) {
    InProcess k("f32,cast_first", [](std::span<const float> x, std::int64_t rows) { return static_cast<double>(lanes(x, rows >= 256 ? 4 : 16)); });
    auto p = k.prober(96);
    const auto all = behaviour(p, k.model.contract, 3);
    EXPECT_FALSE(named(all, "batch").held);
    EXPECT_NE(named(all, "batch").finding.find("T = 256: row"), std::string::npos) << named(all, "batch").finding;
    EXPECT_EQ(named(all, "batch").line, "rows=256");
    EXPECT_TRUE(named(all, "stride").held);
}

TEST(Behaviour, OneUnstableRunOfFiftyIsSeen) {
    int calls = 0;
    InProcess k("f32,cast_first", [&calls](std::span<const float> x, std::int64_t rows) {
        if (rows == 64) ++calls;
        return static_cast<double>(lanes(x, calls > 40 * 64 && calls <= 41 * 64 ? 4 : 16));
    });
    auto p = k.prober(96);
    const auto all = behaviour(p, k.model.contract, 50);
    EXPECT_FALSE(named(all, "rerun").held);
    EXPECT_TRUE(named(all, "rerun").claimed);
    EXPECT_NE(named(all, "rerun").finding.find("run 41"), std::string::npos) << named(all, "rerun").finding;
}

}  // namespace
}  // namespace ulpgate
