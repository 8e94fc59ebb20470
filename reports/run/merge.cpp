#include "reports/run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpgate {
namespace {

void merge_cell(Group& g, const Judged& o) {
    const std::string profile = !o.c.profile.empty() ? o.c.profile : !o.c.file.empty() ? "activations" : "written";
    auto it = std::find_if(g.cells.begin(), g.cells.end(), [&](const Cell& c) { return c.d == o.c.d && c.profile == profile; });
    if (it == g.cells.end()) it = g.cells.insert(g.cells.end(), {o.c.d, profile, {}, ""});
    const bool worse = it->line.empty() || !(o.j.measure.worst_ulp <= it->measure.worst_ulp);
    it->measure.merge(o.j.measure);
    if (worse) it->line = line_of(o.c, 0, o.j.measure.worst.row);
}

void merge_finding(Group& g, const std::string& finding) {
    if (std::find(g.findings.begin(), g.findings.end(), finding) == g.findings.end()) g.findings.push_back(finding);
}

}  // namespace

std::string line_of(Case c, std::uint64_t hash, std::int64_t row) {
    c.h = hash;
    c.row = row;
    return print(c);
}

void merge(Group& g, const Judged& o) {
    ++g.cases;
    if (std::find(g.d.begin(), g.d.end(), o.c.d) == g.d.end()) g.d.push_back(o.c.d);
    if (o.j.verdict == Verdict::pass) ++g.passed_cases;
    if (o.j.verdict == Verdict::refused) ++g.refused_cases;
    if (fails(o.j.verdict)) ++g.failing_cases;
    for (const auto& f : o.j.findings) merge_finding(g, f);
    const bool worse = o.j.measure.rows && (g.worst_line.empty() || !(o.j.measure.worst_ulp <= g.whole.measure.worst_ulp));
    merge(g.whole, o.j);
    if (worse) g.worst_line = line_of(o.c, 0, o.j.measure.worst.row);
    if (o.j.measure.rows) merge_cell(g, o);
}

void conclude(Group& g) {
    conclude(g.whole);
    if (g.whole.inferred) {
        g.inferred = true;
        const auto fit = explaining(g.whole);
        g.unexplained = fit.empty();
        if (!fit.empty()) g.claim = {fit[0]};
        for (std::size_t k = 1; k < fit.size(); ++k) merge_finding(g, "its rows do not separate the inferred contract from " + print(fit[k]));
    }
    std::sort(g.failures.begin(), g.failures.end(), [](const Failure& a, const Failure& b) { return gravity(a.verdict) > gravity(b.verdict); });
    if (!g.failures.empty()) g.verdict = g.failures.front().verdict;
    else if (g.passed_cases == 0 && g.whole.verdict == Verdict::pass) g.verdict = Verdict::skipped;
    else g.verdict = g.whole.verdict;
    if (g.verdict == Verdict::mistrusted && !g.whole.what.empty()) merge_finding(g, g.whole.what);
    if (g.refused_cases && g.passed_cases && g.verdict == Verdict::refused) g.verdict = Verdict::pass;
    if (g.refused_cases) merge_finding(g, fmt::format("{} of {} cases refused by the kernel", g.refused_cases, g.cases));
}

}  // namespace ulpgate
