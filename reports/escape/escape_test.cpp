#include "reports/escape/escape.hpp"

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

TEST(Escape, ATerminalNeverSeesAControlCharacter) {
    EXPECT_EQ(printable("a\x1b[31mb\x07\n\x7f"), "a\\x1b[31mb\\x07\\n\\x7f");
    EXPECT_EQ(printable("käse · T(x·r)"), "käse · T(x·r)");
    EXPECT_EQ(printable("a\u202eb\u0085"), "a\\u{202e}b\\u{85}");
    for (int c = 0; c < 0x20; ++c) EXPECT_EQ(printable(std::string(1, static_cast<char>(c))).find(static_cast<char>(c)), std::string::npos);
}

// Overlong, surrogate, beyond the last plane, cut short, alone: each byte is shown.
TEST(Escape, WhatIsNotUtf8IsShownByteByByte) {
    EXPECT_EQ(printable("\xff"), "\\xff");
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
    EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
    EXPECT_EQ(printable("\xe2\x82\xac"), "\xe2\x82\xac");
    EXPECT_EQ(printable("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(Escape, MarkupHoldsNoMarkup) {
    EXPECT_EQ(markup("<script>\"&'"), "&#60;script&#62;&#34;&#38;&#39;");
    EXPECT_EQ(markup("a\nb\tc\rd"), "a\nb\tc\\x0dd");
    EXPECT_EQ(markup(std::string("\0", 1)), "\\x00");
    EXPECT_EQ(markup("\xef\xbf\xbf"), "\\u{ffff}") << "no character of XML 1.0";
}

TEST(Escape, MarkdownFormatsNothing) {
    EXPECT_EQ(markdown("a|b"), "a&#124;b");
    EXPECT_EQ(markdown("[x](y) <b> @me"), "&#91;x&#93;&#40;y&#41; &#60;b&#62; &#64;me");
    EXPECT_EQ(markdown("x\ny"), "x\\ny");
    EXPECT_EQ(markdown_code("a`b|c"), "``a`b\\|c``");
    EXPECT_EQ(markdown_code("`"), "`` ` ``");
}

TEST(Escape, AWorkflowCommandIsOneLine) {
    EXPECT_EQ(command_message("50 %\nnext"), "50 %25%0Anext");
    EXPECT_EQ(command_property("a:b,c\r\n"), "a%3Ab%2Cc\\x0d\\n");
}

}  // namespace
}  // namespace ulpgate
