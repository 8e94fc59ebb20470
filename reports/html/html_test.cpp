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

TEST(Html, ShowsTheWorstOutputToTheBit) {
    const auto page = to_html(example::run());
    // Allowed 3f80, got 3f81: the last bit of the fraction.
    EXPECT_NE(page.find("0 01111111 000000<b class=\"red\">1</b>"), std::string::npos);
    EXPECT_NE(page.find("<code class=\"bits\">0 01111111 0000000</code>"), std::string::npos);
}

// The band of the plot over the rows' rms begins at the eps that the rows were given.
TEST(Html, TheEpsBandIsThatOfTheRows) {
    auto r = example::run();
    const auto with = [&](const std::string& eps) {
        for (auto& g : r.groups)
            for (auto& c : g.cells) c.line = "q_a_layernorm/bf16/1536/profile=gaussian/rows=4/seed=7/row=1" + eps;
        return to_html(r);
    };
    EXPECT_NE(with("").find(">eps 1e-06<"), std::string::npos);
    const auto other = with("/eps=0x1p-16");
    EXPECT_NE(other.find(">eps 1.52588e-05<"), std::string::npos);
    EXPECT_EQ(other.find(">eps 1e-06<"), std::string::npos);
    EXPECT_EQ(with("/eps=0").find("class=\"band\""), std::string::npos);
}

TEST(Html, SaysHowEachErrorWasFound) {
    const auto page = to_html(example::run());
    EXPECT_NE(page.find("r 662.4 ulp32<br><span class=\"dim\">searched 100,000 rows"), std::string::npos);
    EXPECT_NE(page.find("1.440 ulp<br><span class=\"dim\">exhaustive 65,536 words, d 1"), std::string::npos);
    EXPECT_NE(page.find("sampled 4 rows"), std::string::npos);
}

// What a file says of how often something was tried may be any text.
TEST(Html, ACountThatIsNoNumberIsShownAsItIs) {
    auto r = example::run();
    for (const auto* count : {"searched 99999999999999999999999", "searched <b>", "", " "}) {
        r.maxima[0].count = count;
        const auto page = to_html(r);
        EXPECT_EQ(page.find("searched <b>"), page.npos);
    }
    r.maxima[0].count = "searched 99999999999999999999999";
    EXPECT_NE(to_html(r).find("searched 99999999999999999999999 rows"), std::string::npos);
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
    EXPECT_EQ(count("<details>") + count("<details class=\"case\">"), count("</details>"));
}

}  // namespace
}  // namespace ulpgate
