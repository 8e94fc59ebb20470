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
    ASSERT_EQ(all.size(), 6u);
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

// In place: says no, or reads the second half of x when y's first half stands in x's memory.
class InPlaceKernel final : public Subject {
  public:
    InPlaceKernel(InProcess& k, bool refuses) : k_(k), refuses_(refuses) {}
    const std::string& text() const override { return k_.text(); }
    Outcome start() override { return {}; }
    const std::vector<EntryInfo>& entries() const override { return k_.entries(); }
    std::string name() const override { return "in place"; }
    std::string version() const override { return ""; }
    std::string mode() const override { return ""; }
    Outcome run(std::size_t entry, const Tensors& t) override {
        if (t.contract.inplace != InPlace::must) return k_.run(entry, t);
        if (refuses_) return {Event::refused, "x and y overlap", {}, {}, 0};
        const Outcome first = k_.run(entry, t);
        Tensors late = t;
        const Tensor& y = *late.find("y");
        const auto& out = first.out[static_cast<std::size_t>(&y - late.all.data())];
        Tensor& x = *late.find("x");
        for (std::int64_t i = 0; i < x.rows(); ++i)
            std::copy_n(out.begin() + i * x.width() * bytes(y.type), x.width() / 2 * bytes(y.type), x.storage.begin() + x.row_at(i) * bytes(x.type));
        return k_.run(entry, late);
    }

  private:
    InProcess& k_;
    bool refuses_;
};

TEST(Behaviour, InPlaceHeldOtherOrRefused) {
    for (const char* claim : {"f32,cast_first,inplace=may", "f32,cast_first"}) {
        InProcess k(claim);
        auto held = k.prober(96);
        EXPECT_TRUE(named(behaviour(held, k.model.contract, 2), "alias").held);
        InPlaceKernel late(k, false), no(k, true);
        Prober p(late, 0, *find_op("q_a_layernorm"), k.model.contract, 96), q(no, 0, *find_op("q_a_layernorm"), k.model.contract, 96);
        const auto other = named(behaviour(p, k.model.contract, 2), "alias"), refused = named(behaviour(q, k.model.contract, 2), "alias");
        EXPECT_FALSE(other.held);
        EXPECT_EQ(other.claimed, k.model.contract.inplace == InPlace::may);
        EXPECT_EQ(other.finding.substr(0, 16), "in place: row 0 ") << other.finding;
        EXPECT_TRUE(refused.skipped);
        EXPECT_EQ(refused.finding, "in place: x and y overlap");
    }
    InProcess wide("bf16,cast_first,y=f32");
    auto p = wide.prober(96);
    const auto r = named(behaviour(p, wide.model.contract, 2), "alias");
    EXPECT_TRUE(r.skipped);
    EXPECT_EQ(r.comparisons, 0);
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
