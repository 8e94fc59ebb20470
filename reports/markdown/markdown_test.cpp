#include "reports/markdown/markdown.hpp"

#include <gtest/gtest.h>

#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

TEST(Markdown, BeginsWithTheMarkerAndTheVerdict) {
    const auto text = to_markdown(example::run(), "ulp-->gate");
    EXPECT_TRUE(text.starts_with("<!-- ulp--gate -->\n### ❌ ulpgate: 1 crashed, 1 inadmissible, 1 over, 1 mistrusted, 2 pass, 1 known, 2 skipped, 1 not loaded\n"))
        << text.substr(0, 200);
}

// Outside code nothing of a name acts: no tag, no cell, no terminal code.
TEST(Markdown, AHostileNameStaysText) {
    const auto text = to_markdown(example::run());
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
    EXPECT_NE(text.find("<summary>🔴 ./k&#60;img src=x onerror=alert(1)&#62;"), std::string::npos);
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        const auto line = text.substr(at, end - at);
        if (line.starts_with("| ")) {
            int bars = 0;
            for (std::size_t k = 0; k < line.size(); ++k) bars += line[k] == '|' && (k == 0 || line[k - 1] != '\\');
            EXPECT_EQ(bars, 12) << line;
        }
        at = end + 1;
    }
}

TEST(Markdown, FailuresComeFirstAndAFullPageSaysWhatItLeftOut) {
    Result r;
    for (int k = 0; k < 600; ++k) r.groups.push_back(example::group("passing" + std::to_string(k), Verdict::pass));
    for (int k = 0; k < 300; ++k) r.groups.push_back(example::group("failing" + std::to_string(k), Verdict::inadmissible));
    r.exit = 1;
    const auto text = to_markdown(r);
    EXPECT_LE(text.size(), markdown_limit);
    EXPECT_GT(text.size(), markdown_limit - 3000);
    EXPECT_LT(text.find("failing299"), text.find("passing0"));
    EXPECT_NE(text.find("*Left out for length: "), std::string::npos);
}

TEST(Markdown, ACleanRunIsShort) {
    Result r;
    r.groups.push_back(example::group("scalar", Verdict::pass));
    const auto text = to_markdown(r);
    EXPECT_TRUE(text.starts_with("<!-- ulpgate -->\n### ✅ ulpgate: 1 pass\n")) << text;
    EXPECT_EQ(text.find("details"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
