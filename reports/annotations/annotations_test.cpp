#include "reports/annotations/annotations.hpp"

#include <gtest/gtest.h>

#include "reference/base/text.hpp"
#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

TEST(GitHub, ALineIsACommandAndAHostileNameStartsNone) {
    const auto text = to_github(example::run());
    int errors = 0, warnings = 0, notices = 0;
    for (const auto line : split(text, '\n')) {
        if (line.empty()) continue;
        errors += line.starts_with("::error title=");
        warnings += line.starts_with("::warning title=");
        notices += line.starts_with("::notice title=");
        EXPECT_EQ(line.find('\x1b'), line.npos);
        // Properties end at the second `::`; no name ends them early.
        const auto end = line.find("::", 2);
        ASSERT_NE(end, line.npos);
        EXPECT_EQ(line.substr(0, end).find("::error::"), line.npos);
    }
    EXPECT_EQ(errors, 5);  // inadmissible, over, crashed, not loaded, a required skip
    EXPECT_EQ(warnings, 1);
    EXPECT_EQ(notices, 2);
}

TEST(GitHub, ALimitPointsAtItsLineOfTheBudget) {
    const auto text = to_github(example::run());
    EXPECT_NE(text.find("file=budgets/a b.toml,line=12::"), std::string::npos) << text;
    EXPECT_NE(text.find("file=budgets/k2.toml,line=3::"), std::string::npos);
    EXPECT_EQ(place_of("a:b").second, 0);
    EXPECT_EQ(place_of("a:b:7"), std::pair(std::string("a:b"), 7));
}

}  // namespace
}  // namespace ulpgate
