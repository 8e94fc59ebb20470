#include "properties/explain_query/gemm_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

class InThisProcess final : public Subject {  // a model of the query path
  public:
    explicit InThisProcess(QueryModel m) : model_(std::move(m)) {}
    const std::string& text() const override { return text_; }
    Outcome start() override { return {}; }
    const std::vector<EntryInfo>& entries() const override { return entries_; }
    std::string name() const override { return ""; }
    std::string version() const override { return ""; }
    std::string mode() const override { return ""; }
    Outcome run(std::size_t, const Tensors& t) override {
        QueryPath path(t, model_);
        Outcome o;
        o.out = path.run();
        return o;
    }

  private:
    QueryModel model_;
    std::string text_;
    std::vector<EntryInfo> entries_;
};

std::vector<GemmOrder> told(const char* op, const char* contract, const std::string& order, std::int64_t rank = 70) {
    Claim c;
    EXPECT_FALSE(parse(contract, c)) << contract;
    QueryModel m{c.at(0), {}, ""};
    m.contract.a_order = m.contract.b_order = order;
    Sizes s;
    find_op(op)->defaults(s);
    s[Dim::hidden] = 150, s[Dim::q_rank] = rank, s[Dim::heads] = 4, s[Dim::nope] = 24, s[Dim::rope] = 8, s[Dim::kv_rank] = 16;
    if (std::string(op) == "head") s[Dim::b_out] = 100;
    InThisProcess subject(m);
    return gemm_orders(subject, 0, *find_op(op), c[0], s);
}

bool named(const GemmOrder& o, const std::string& order) { return std::find(o.names.begin(), o.names.end(), find_order(order)->text()) != o.names.end(); }

TEST(GemmOrder, IsRecoveredThroughTheWholePath) {
    for (const char* order : {"sequential", "pairwise", "lanes:8x4", "lanes:16x1", "masked:8x1"})
        for (const char* contract : {"bf16,cast_first", "fp16,cast_first,taps=out", "f32,cast_first,kv=fused,absorb=yes,rope=one_cast"}) {
            const auto orders = told("mla_query", contract, order);
            ASSERT_EQ(orders.size(), 2u);
            EXPECT_TRUE(named(orders[0], order)) << contract << " q_a_proj: " << orders[0].words << ", not " << order;
            EXPECT_TRUE(named(orders[1], order)) << contract << " q_b_proj: " << orders[1].words << ", not " << order;
            EXPECT_EQ(orders[0].columns, 150);
            EXPECT_EQ(orders[1].columns, 70);
        }
    EXPECT_TRUE(named(told("head", "bf16,cast_first", "lanes:4x2")[0], "lanes:4x2"));
    EXPECT_EQ(told("mla_query", "bf16,cast_first", "sequential", 0).size(), 1u) << "no rank, one projection";
}

TEST(GemmOrder, TensorCoresAddGroupsAtOnce) {
    for (const auto& [core, group] : {std::pair{"mma:8x24", 8}, {"mma:16x25", 16}})
        for (const char* contract : {"bf16,cast_first", "fp16,cast_first"}) {
            const auto orders = told("mla_query", contract, core);
            for (const GemmOrder& o : orders) {
                EXPECT_EQ(o.group, group) << o.stage << ": " << o.words;
                EXPECT_EQ(o.words, "groups of " + std::to_string(group) + " columns, each added to the sum so far in one step, in the order of the columns");
            }
            Claim c;
            ASSERT_FALSE(parse(contract, c));
            const auto models = sum_models(c[0], orders);
            EXPECT_EQ(models.size(), 4u) << "24 or 25 bits each";
            EXPECT_TRUE(std::any_of(models.begin(), models.end(), [claimed = std::string(core)](const QueryModel& m) { return m.contract.a_order == claimed && m.contract.b_order == claimed; }));
        }
}

TEST(GemmOrder, SaysWhyItDoesNotShow) {
    const auto e4m3 = told("mla_query", "bf16,cast_first,weights=e4m3:128x128", "any");
    ASSERT_EQ(e4m3.size(), 2u);
    EXPECT_NE(e4m3[0].words.find("e4m3"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
