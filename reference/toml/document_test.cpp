#include "reference/toml/document.hpp"

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

std::string error_of(const std::string& text) { return parse_toml(text, "f.toml").error; }

// The specification allows letters beyond ASCII in strings and comments alone; toml++ 3.3 has undefined behaviour on some elsewhere.
TEST(Toml, TakesLettersInStringsAndCommentsAlone) {
    for (const std::string good : {"# é\na = 1\n", "a = \"é\"", "a = 'é' # é", "a = \"\"\"\né \\\n 　\"\"\"", "a = '''\né'''", R"(a = "\"é\\")", "a = \"\"\"x\"\"\"\"\nb = \"é\"",
                                   "\xef\xbb\xbf" "a = 1", "\"é\" = 1", "a = \"\" # é", R"(a = '\' # é)"})
        EXPECT_EQ(error_of(good), "") << good;
    const std::pair<std::string, int> bad[] = {{"é = 1", 1},           {"a = 1\n\xc2\xa0" "b = 2", 2}, {"a = \"x\"　", 1},      {"# x\n\n[\xef\xbb\xbd]", 3},
                                               {"a = 'x'\n\xef\xbb\xbf", 2}, {"a = \"\"\"\nx\"\"\"\né", 3},  {"a = \"\"\"\nx\\\ny\"\"\"é", 3}, {"\xef\xbb\xbdschema = \"x\"", 1}};
    for (const auto& [text, line] : bad)
        EXPECT_EQ(error_of(text), "f.toml:" + std::to_string(line) + ": not TOML: a character that is not ASCII outside of strings and comments") << text;
}

// Brackets and keys that begin with no key's character: the parser's own words, never an assertion.
TEST(Toml, SaysWhatIsNoKey) {
    for (const std::string bad : {"[[[", "[=]", "[[ .a]]", "[ #", "[\n", "a = \"x", "a = \"x\\", "a = '''x", "a = \"\"\"é"})
        EXPECT_TRUE(error_of(bad).starts_with("f.toml:1: not TOML: ")) << bad << ": " << error_of(bad);
}

}  // namespace
}  // namespace ulpgate
