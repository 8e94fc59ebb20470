#include "reports/run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpgate {
namespace {

void merge_candidates(Group& g, const std::vector<Candidate>& seen) {
    for (const auto& c : seen) {
        const auto it = std::find_if(g.candidates.begin(), g.candidates.end(), [&](const Candidate& k) { return k.contract == c.contract; });
        if (it == g.candidates.end()) g.candidates.push_back(c);
        else if (it->fits && !c.fits) *it = c;
    }
}

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
    if (o.j.verdict == Verdict::mistrusted) ++g.mistrusted_cases;
    if (fails(o.j.verdict)) ++g.failing_cases;
    for (const auto& f : o.j.findings) merge_finding(g, f);
    if (o.j.measure.rows == 0) return;
    const bool worse = g.worst_line.empty() || !(o.j.measure.worst_ulp <= g.measure.worst_ulp);
    g.measure.merge(o.j.measure);
    if (worse) g.worst_line = line_of(o.c, 0, o.j.measure.worst.row);
    g.sight.merge(o.j.sight);
    merge_candidates(g, o.j.candidates);
    merge_cell(g, o);
}

void infer(Group& g) {
    if (g.candidates.empty()) return;
    g.inferred = true;
    const auto fit = std::find_if(g.candidates.begin(), g.candidates.end(), [](const Candidate& c) { return c.fits; });
    if (fit == g.candidates.end()) {
        g.unexplained = true;
        return;
    }
    g.claim = {fit->contract};
    std::string others;
    for (auto it = std::next(fit); it != g.candidates.end(); ++it)
        if (it->fits) others += (others.empty() ? "" : "; ") + print(it->contract);
    if (!others.empty()) merge_finding(g, "its rows do not separate the inferred contract from " + others);
}

void conclude(Group& g) {
    std::sort(g.failures.begin(), g.failures.end(), [](const Failure& a, const Failure& b) { return gravity(a.verdict) > gravity(b.verdict); });
    if (!g.failures.empty()) g.verdict = g.failures.front().verdict;
    else if (g.unexplained) g.verdict = Verdict::inadmissible;
    else if (g.passed_cases) g.verdict = Verdict::pass;
    else if (g.mistrusted_cases) g.verdict = Verdict::mistrusted;
    else if (g.refused_cases < g.cases) g.verdict = Verdict::unsupported;
    else g.verdict = g.cases ? Verdict::refused : Verdict::skipped;
    if (g.mistrusted_cases) merge_finding(g, fmt::format("{} of {} cases were worth little as a check: mistrusted", g.mistrusted_cases, g.cases));
    if (g.refused_cases) merge_finding(g, fmt::format("{} of {} cases refused by the kernel", g.refused_cases, g.cases));
    if (g.measure.spec_limit_rows)
        merge_finding(g, fmt::format("spec_limit: in {} rows float32 overflows and the specification itself leaves real arithmetic", g.measure.spec_limit_rows));
}

}  // namespace ulpgate
