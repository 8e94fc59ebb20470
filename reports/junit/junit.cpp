#include "reports/junit/junit.hpp"

#include <fmt/format.h>

#include <set>

#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"

namespace ulpgate {
namespace {

enum class Kind { passed, failure, error, skipped };

struct Test {
    std::string name, message, type, body, out;
    Kind kind = Kind::passed;
    double seconds = 0;
};
struct Suite {
    std::string subject;
    std::vector<Test> tests;
};

Kind kind_of(const Group& g) {
    if (g.known && !g.known->changed) return Kind::skipped;
    if (g.verdict == Verdict::pass) return Kind::passed;
    if (g.verdict == Verdict::crashed || g.verdict == Verdict::hung) return Kind::error;
    return fails(g.verdict) ? Kind::failure : Kind::skipped;
}

std::string message_of(const Group& g) {
    if (g.known && !g.known->changed) return fmt::format("known until {}: {}: {}", g.known->until, g.known->finding, g.known->why);
    if (!g.failures.empty() && !g.failures.front().what.empty()) return g.failures.front().what;
    for (const auto& l : g.limits)
        if (l.over) return fmt::format("{} {} is above {} ({})", l.quantity, short_number(l.measured), short_number(l.limit), l.where);
    if (!g.findings.empty()) return g.findings.front();
    return std::string(name(g.verdict));
}

Test test_of(const Result& r, const Group& g) {
    Test t;
    t.name = fmt::format("{} {}", g.op, g.claim.empty() ? std::string(name(g.type)) : print(g.claim));
    t.kind = kind_of(g);
    t.type = finding_of(g);
    t.seconds = g.seconds;
    if (t.kind != Kind::passed) t.message = message_of(g);
    if (t.kind != Kind::passed) t.body = failure_text(r, g, {});
    const auto& m = g.whole.measure;
    if (m.rows)
        t.out = fmt::format("rows {}  worst ulp {}  r ulp32 {}  outside {}\nwould have seen  {}\n", m.rows, short_number(m.worst_ulp),
                            short_number(m.worst_r_ulp32), share_of(m.outside, m.elements), g.whole.sight.text());
    return t;
}

std::vector<Suite> suites(const Result& r) {
    std::vector<Suite> out;
    const auto suite = [&](const std::string& subject) -> Suite& {
        for (auto& s : out)
            if (s.subject == subject) return s;
        out.push_back({subject, {}});
        return out.back();
    };
    for (const auto& g : r.groups) suite(g.subject).tests.push_back(test_of(r, g));
    for (const auto& n : r.not_loaded) suite(n.subject).tests.push_back({"load", n.reason, "did not load", "", "", Kind::error, 0});
    for (const auto& s : r.skipped)
        suite(s.subject).tests.push_back({"run", s.reason, "skipped", "", "", s.required ? Kind::failure : Kind::skipped, 0});
    for (auto& s : out) {
        std::set<std::string> names;
        for (auto& t : s.tests) {
            const auto first = t.name;
            for (int k = 2; !names.insert(t.name).second; ++k) t.name = fmt::format("{} #{}", first, k);
        }
    }
    return out;
}

std::size_t count(const Suite& s, Kind k) {
    std::size_t n = 0;
    for (const auto& t : s.tests) n += t.kind == k;
    return n;
}

std::string counts(std::size_t tests, std::size_t failures, std::size_t errors, std::size_t skipped, double seconds) {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", tests, failures, errors, skipped, seconds);
}

std::string xml_of(const Suite& s, const Test& t) {
    std::string x = fmt::format("    <testcase classname=\"ulpgate.{}\" name=\"{}\" time=\"{:.3f}\"", markup(s.subject), markup(t.name), t.seconds);
    std::string in;
    constexpr const char* tag[] = {"", "failure", "error", "skipped"};
    const auto* k = tag[static_cast<int>(t.kind)];
    if (t.kind == Kind::skipped) in += fmt::format("      <skipped message=\"{}\"/>\n", markup(t.message));
    else if (t.kind != Kind::passed)
        in += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", k, markup(t.type), markup(t.message), markup(t.body));
    if (!t.out.empty()) in += fmt::format("      <system-out>{}</system-out>\n", markup(t.out));
    return in.empty() ? x + "/>\n" : x + ">\n" + in + "    </testcase>\n";
}

}  // namespace

std::string to_junit(const Result& r) {
    const auto all = suites(r);
    std::size_t n[4] = {}, tests = 0;
    for (const auto& s : all) {
        tests += s.tests.size();
        for (int k = 0; k < 4; ++k) n[k] += count(s, static_cast<Kind>(k));
    }
    std::string x = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    x += fmt::format("<testsuites name=\"ulpgate\" {}>\n", counts(tests, n[1], n[2], n[3], r.seconds));
    for (const auto& s : all) {
        double seconds = 0;
        for (const auto& t : s.tests) seconds += t.seconds;
        x += fmt::format("  <testsuite name=\"{}\" {}>\n", markup(s.subject), counts(s.tests.size(), count(s, Kind::failure), count(s, Kind::error), count(s, Kind::skipped), seconds));
        x += fmt::format("    <properties>\n      <property name=\"machine\" value=\"{}\"/>\n      <property name=\"compiler\" value=\"{}\"/>\n"
                         "      <property name=\"share\" value=\"{}\"/>\n    </properties>\n",
                         markup(r.context.machine + " " + r.context.cpu), markup(r.context.compiler + " " + r.context.flags), r.context.share);
        for (const auto& t : s.tests) x += xml_of(s, t);
        x += "  </testsuite>\n";
    }
    return x + "</testsuites>\n";
}

}  // namespace ulpgate
