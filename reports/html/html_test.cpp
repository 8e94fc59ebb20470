// What the page says; how it looks is page_test.py's.
#include "reports/html/html.hpp"

#include <gtest/gtest.h>

#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

TEST(Html, IsSelfContainedWhateverANameSays) {
    const auto page = to_html(example::run());
    for (const auto* forbidden : {"<script", "<img", "<link", "<iframe", "src=\"", "href=", "url(", "@import", "\x1b", "\xff"}) EXPECT_EQ(page.find(forbidden), std::string::npos) << forbidden;
    EXPECT_NE(page.find("&#60;img src=x onerror=alert(1)&#62;"), std::string::npos);
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Html, SaysTheVerdictTheSightAndTheReplay) {
    const auto page = to_html(example::run());
    EXPECT_NE(page.find("<h1>k3 q_a_layernorm bf16: crashed"), std::string::npos);
    EXPECT_NE(page.find("would have seen"), std::string::npos);
    EXPECT_NE(page.find("replay  ulpgate replay avx2 q_a_layernorm/bf16/1536/profile=gaussian/row=1"), std::string::npos);
    EXPECT_NE(page.find("Error budget: scalar"), std::string::npos);
    EXPECT_NE(page.find("Eps: final_norm"), std::string::npos);
    EXPECT_NE(page.find("sampled 4"), std::string::npos);
}

TEST(Html, ARunOfNothingIsAPageToo) {
    const auto page = to_html(Result{});
    EXPECT_NE(page.find("nothing was tested"), std::string::npos);
    EXPECT_TRUE(page.ends_with("</body>\n</html>\n"));
}

TEST(Html, EveryTableHasItsPlotAndEveryPlotItsNumbers) {
    const auto page = to_html(example::run());
    const auto count = [&](std::string_view what) {
        int n = 0;
        for (std::size_t at = 0; (at = page.find(what, at)) != page.npos; at += what.size()) ++n;
        return n;
    };
    EXPECT_GT(count("<svg"), 8);
    EXPECT_EQ(count("<svg"), count("</svg>"));
    EXPECT_EQ(count("<table>"), count("</table>"));
    EXPECT_EQ(count("<details>"), count("</details>"));
}

}  // namespace
}  // namespace ulpgate
