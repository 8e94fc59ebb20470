#include "reports/stages/table.hpp"

#include <gtest/gtest.h>

#include "reports/cli/process_test.hpp"

namespace ulpgate {
namespace {

RunRequest request(std::string subject, std::string type = "bf16") {
    RunRequest r;
    r.options.home = ULPGATE_HOME;
    r.subjects.push_back({std::move(subject), {}});
    r.filter.ops = {"q_a_layernorm"};
    r.filter.types = {std::move(type)};
    r.filter.profiles = {"gaussian"};
    r.filter.d = {512};
    r.filter.rows = 8;
    r.filter.seed = 7;
    return r;
}

StageTable one(const RunRequest& r, const std::string& model = "") {
    Result result;
    auto s = stage_tables(r, model, result);
    EXPECT_EQ(s.error, "");
    if (s.tables.empty()) {
        ADD_FAILURE() << "no table";
        return {};
    }
    return s.tables[0];
}

double total_share(const StageTable& t) {
    double sum = 0;
    for (const auto& l : t.lines) sum += l.share;
    return sum;
}

TEST(StageTables, AModelIsFoundWithoutItsName) {
    auto r = request("model/f32,cast_first,order=lanes:16x2,mean=recip", "f32");
    r.filter.d = {1537};  // a tail: without one cuda_block:32x1 is the same tree
    r.filter.rows = 64;
    const auto t = one(r);
    EXPECT_NE(t.model.find("order=lanes:16x2,mean=recip"), std::string::npos) << t.model;
    EXPECT_EQ(t.lines.size(), 7u);
    EXPECT_NEAR(total_share(t), 1, 1e-12);
    for (const auto& l : t.lines) EXPECT_LE(l.worst_ulp, l.allowed_ulp) << l.stage;
    EXPECT_EQ(t.rows, 64);
    EXPECT_TRUE(t.how.starts_with("equal bit for bit in 64 of 64 rows")) << t.how;
}

// A bf16 output hardly sees the order: the first of many is said to be one of many.
TEST(StageTables, ModelsThatTheRowsDoNotTellApartAreCounted) {
    const auto t = one(request("model/bf16,cast_first,order=pairwise"));
    EXPECT_NE(t.how.find("these rows do not tell them apart"), std::string::npos) << t.how;
}

TEST(StageTables, TheBuiltInKernelIsItsRestatement) {
    const auto t = one(request("scalar"));
    EXPECT_NE(t.how.find("equal bit for bit in 8 of 8 rows"), std::string::npos) << t.how;
    EXPECT_GT(t.lines[5].share + t.lines[6].share, 0.999) << "in bf16 the two casts are the error";
}

// Tokens of an order that no model has: r is one line, and the shares still add up.
TEST(StageTables, AnUnknownOrderLeavesOneLineForTheRow) {
    const auto t = one(request("model/f32,cast_first,order=lanes:5x3", "f32"));
    EXPECT_EQ(t.model, "");
    ASSERT_EQ(t.lines.size(), 4u);
    EXPECT_EQ(t.lines[0].stage, "r");
    EXPECT_NEAR(total_share(t), 1, 1e-12);
    EXPECT_LE(t.lines[0].worst_ulp32, t.lines[0].allowed_ulp32);
}

TEST(StageTables, AModelThatIsGivenMustGiveTheOutputs) {
    Result r;
    EXPECT_EQ(stage_tables(request("model/f32,cast_first,order=sequential", "f32"), "f32,cast_first,order=sequential", r).error, "");
    EXPECT_NE(stage_tables(request("model/f32,cast_first,order=sequential", "f32"), "f32,cast_first,order=pairwise", r).error.find("does not give the outputs"), std::string::npos);
    EXPECT_NE(stage_tables(request("scalar"), "bf16,cast_first,order=none", r).error.find("column"), std::string::npos);
}

TEST(StageTables, ANameCannotMoveTheCursor) {
    StageTable t;
    t.subject = "k\x1b[2J";
    t.contract = default_contract(Type::bf16, Map::cast_first);
    t.lines.push_back({"sum", 1, 1, 1, 1, 0, 0, 1, 1, "q_a_layernorm/bf16/1536\x1b", 0});
    EXPECT_EQ(stages_text(t).find('\x1b'), std::string::npos);
    EXPECT_NE(stages_text(t).find("k\\x1b[2J"), std::string::npos);
}

TEST(StageTables, TheVerbPrintsThemAndWritesThem) {
    const testing_cli::Folder f;
    const auto r = testing_cli::ulpgate(f, {"report", "budget", "scalar", "--op", "q_a_layernorm", "--type", "bf16", "--d", "512", "--rows", "4", "--json", "b.json"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("rsqrt"), std::string::npos);
    EXPECT_NE(r.out.find("ulpgate replay scalar q_a_layernorm/bf16/512/"), std::string::npos) << r.out;
    const auto j = testing_cli::json_of(testing_cli::slurp(f / "b.json"));
    EXPECT_EQ(j["stages"][0]["stages"].size(), 7u);
    EXPECT_EQ(testing_cli::ulpgate(f, {"report", "budget", "./gone.so"}).exit, 4);
    EXPECT_EQ(testing_cli::ulpgate(f, {"report", "budget", "scalar", "--model", "bf16,what"}).exit, 2);
}

}  // namespace
}  // namespace ulpgate
