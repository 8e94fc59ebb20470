// The checked-in table, every line of it run again.
#include "reports/table/worst.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "reference/base/file.hpp"
#include "reports/table/instrument.hpp"

namespace ulpgate {
namespace {

SubjectOptions options() {
    SubjectOptions o;
    o.home = ULPGATE_HOME;
    return o;
}

TEST(WorstTable, EveryWitnessGivesItsNumberAgain) {
    const auto t = built_in_worst();
    ASSERT_EQ(t.error, "");
    std::map<std::string, std::string> skipped;
    for (const auto& w : t.rows) {
        const auto r = rerun(w, options());
        if (r.how == Rerun::How::skipped) skipped[w.subject] = r.what;
        else EXPECT_EQ(r.what, "") << w.subject << " " << print(w.witness);
    }
    for (const auto& [subject, why] : skipped) std::printf("%s: not run here: %s\n", subject.c_str(), why.c_str());
}

TEST(WorstTable, HoldsEveryOpAndTypeOfEachKernel) {
    std::map<std::string, int> rows;
    for (const auto& w : built_in_worst().rows) ++rows[w.subject];
    for (const auto* subject : {"scalar", "avx2", "avx512", "ptx@sm_80", "ptx@sm_90"}) EXPECT_EQ(rows[subject], 9) << subject << ": three ops, three types";
}

TEST(WorstTable, IsTheOneThatIsShown) {
    std::string shown;
    ASSERT_EQ(read_file(std::string(ULPGATE_SOURCE) + "/reports/table/TABLE.md", shown), "");
    EXPECT_EQ(shown, worst_markdown(built_in_worst().rows)) << "ulpgate report table >reports/table/TABLE.md";
    std::string toml;
    ASSERT_EQ(read_file(std::string(ULPGATE_SOURCE) + "/reports/table/worst.toml", toml), "");
    EXPECT_EQ(toml, write_worst(built_in_worst().rows));
}

TEST(WorstTable, AnotherNumberOrAnotherKernelIsSeen) {
    const auto t = built_in_worst();
    auto w = t.rows.at(0);
    w.r_ulp32 += 0.01;
    EXPECT_NE(rerun(w, options()).what.find("the table says"), std::string::npos);
    // A byhand kernel has no restatement; another's order is not this one's.
    w = t.rows.at(0);
    w.subject = "byhand/right";
    EXPECT_NE(rerun(w, options()).what.find("no restatement"), std::string::npos);
}

// r of a row by hand: x = 4 and three zeros, eps 0: v = 4, r = 1/2 exactly. One ulp above: 1.
TEST(WorstTable, MeasuresRInUlpsOfFloat32) {
    Model m;
    ASSERT_FALSE(parse("f32,cast_first", m));
    const std::vector<float> x{4, 0, 0, 0};
    EXPECT_EQ(r_error_ulp32(m, x, 0), 0);
    ASSERT_FALSE(parse("f32,cast_first,rsqrt_form=up:1", m));
    EXPECT_EQ(r_error_ulp32(m, x, 0), 1);
}

TEST(WorstTable, SaysWhatItCannotRead) {
    EXPECT_EQ(parse_worst("schema = \"ulpgate.worst/2\"\n", "w.toml").error, "w.toml:1: 'ulpgate.worst/2' is not ulpgate.worst/1");
    EXPECT_EQ(parse_worst("schema = \"ulpgate.worst/1\"\n\n[[worst]]\nsubject = 3\n", "w.toml").error, "w.toml:4: 'subject' is an integer, a string is needed");
    EXPECT_NE(parse_worst("schema = \"ulpgate.worst/1\"\n[[worst]]\nsubject = \"a\"\nr_ulp32 = 1\ncount = \"c\"\ncase = \"q/bf16\"\n", "w.toml").error.find("w.toml:6: case, column"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
