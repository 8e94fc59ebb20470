#include "reports/junit/junit.hpp"

#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <set>

#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

// Read back by another XML library.
TEST(JUnit, CountsAndNamesHold) {
    const auto text = to_junit(example::run());
    pugi::xml_document doc;
    const auto parsed = doc.load_buffer(text.data(), text.size(), pugi::parse_full);
    ASSERT_TRUE(parsed) << parsed.description() << " at " << parsed.offset;
    const auto all = doc.child("testsuites");
    EXPECT_EQ(all.attribute("tests").as_int(), 10);
    EXPECT_EQ(all.attribute("failures").as_int(), 3);  // inadmissible, over, a required skip
    EXPECT_EQ(all.attribute("errors").as_int(), 2);    // crashed, did not load
    EXPECT_EQ(all.attribute("skipped").as_int(), 3);   // known, mistrusted, skipped
    int tests = 0, failures = 0, errors = 0, skipped = 0;
    std::set<std::string> names;
    for (const auto suite : all.children("testsuite")) {
        int own = 0;
        for (const auto t : suite.children("testcase")) {
            ++own;
            failures += !t.child("failure").empty();
            errors += !t.child("error").empty();
            skipped += !t.child("skipped").empty();
            EXPECT_TRUE(names.insert(std::string(t.attribute("classname").value()) + "|" + t.attribute("name").value()).second);
        }
        EXPECT_EQ(suite.attribute("tests").as_int(), own);
        tests += own;
    }
    EXPECT_EQ(tests, 10);
    EXPECT_EQ(failures, 3);
    EXPECT_EQ(errors, 2);
    EXPECT_EQ(skipped, 3);
}

TEST(JUnit, AHostileNameStaysText) {
    const auto text = to_junit(example::run());
    EXPECT_EQ(text.find("<img"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
    pugi::xml_document doc;
    ASSERT_TRUE(doc.load_buffer(text.data(), text.size()));
    std::string names;
    for (const auto s : doc.child("testsuites").children("testsuite")) names += s.attribute("name").value();
    EXPECT_NE(names.find("./k<img src=x onerror=alert(1)>|`\"'&\\x1b[2J\\xff]]>--%0A::error::.so"), std::string::npos) << names;
}

TEST(JUnit, AFailureHasItsReplay) {
    const auto text = to_junit(example::run());
    pugi::xml_document doc;
    ASSERT_TRUE(doc.load_buffer(text.data(), text.size()));
    const auto f = doc.select_node("//testsuite[@name='avx2']//failure").node();
    EXPECT_NE(std::string(f.text().get()).find("replay  ulpgate replay avx2 q_a_layernorm/bf16/1536/profile=gaussian/row=1"), std::string::npos) << f.text().get();
    EXPECT_STREQ(f.attribute("type").value(), "over");
}

}  // namespace
}  // namespace ulpgate
