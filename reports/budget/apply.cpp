#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/budget/budget.hpp"

namespace ulpgate {
namespace {

bool claims(const Group& g, const BudgetKey& k) { return k.contract.empty() || k.contract == print(g.claim, false); }

bool about(const Group& g, const BudgetKey& k) {
    return g.op == k.op && g.type == k.type && claims(g, k) && std::find(g.d.begin(), g.d.end(), k.d) != g.d.end();
}

bool fits(const Cell& c, const BudgetKey& k) { return c.d == k.d && (k.profile.empty() || k.profile == c.profile); }

double widest(const Claim& claim, std::int64_t d, double (*bound)(const Contract&, std::int64_t)) {
    double b = 0;
    for (const auto& c : claim) b = std::max(b, bound(c, d));
    return b;
}

void hold(Group& g, const BudgetLimit& l, const std::string& path, std::string_view quantity, double limit) {
    const bool of_r = quantity == "r_ulp32";
    LimitResult r{std::string(quantity), limit, 0, fmt::format("{}:{}", path, l.line), l.why, "", false, "", 0, 0};
    bool any = false;
    for (const auto& c : g.cells) {
        if (!fits(c, l.key) || c.measure.rows == 0) continue;
        r.rows += c.measure.rows;
        const double m = of_r ? c.measure.worst_r_ulp32 : c.measure.worst_ulp;
        if (any && !worse(m, r.measured)) continue;
        any = true;
        r.measured = m;
        r.line = c.line;
    }
    if (!any) return;
    r.over = worse(r.measured, limit);
    const double bound = r.bound = widest(g.claim, l.key.d, of_r ? r_ulp32_bound : ulp_bound);
    if (limit >= bound) r.note = fmt::format("cannot fire: where x r is normal, nothing within the contract is off by more than {:.4g}", bound);
    if (r.over && (g.verdict == Verdict::pass || g.verdict == Verdict::mistrusted || g.verdict == Verdict::unsupported)) g.verdict = Verdict::over;
    g.limits.push_back(std::move(r));
}

bool same_finding(const std::string& found, const std::string& known) { return found == known || found.starts_with(known + ":"); }

}  // namespace

bool worse(double error, double than) { return !std::isnan(than) && !(error <= than); }

void apply(const Budget& b, Result& r) {
    const bool ran = std::any_of(r.subjects.begin(), r.subjects.end(), [&](const SubjectInfo& s) { return s.text == b.subject; });
    if (!ran) {
        r.notes.push_back(fmt::format("{}: its subject {} was not in this run", b.path, b.subject));
        return;
    }
    for (const auto& l : b.limits) {
        if (!l.key.target.empty() && l.key.target != r.context.isa) {
            r.notes.push_back(fmt::format("{}:{}: not held: its target is {}, this machine is {}", b.path, l.line, l.key.target, r.context.isa));
            continue;
        }
        bool used = false;
        for (auto& g : r.groups) {
            if (g.subject != b.subject || !about(g, l.key)) continue;
            const auto before = g.limits.size();
            if (l.r_ulp32) hold(g, l, b.path, "r_ulp32", *l.r_ulp32);
            if (l.ulp) hold(g, l, b.path, "ulp", *l.ulp);
            used |= g.limits.size() > before;
        }
        if (!used) r.notes.push_back(fmt::format("{}:{}: no row of this run is held to it", b.path, l.line));
    }
    for (const auto& k : b.known) {
        if (!k.key.target.empty() && k.key.target != r.context.isa) continue;
        bool used = false;
        for (auto& g : r.groups) {
            if (g.subject != b.subject || !about(g, k.key) || !fails(g.verdict)) continue;
            used = true;
            g.known = Known{k.finding, k.why, k.until, fmt::format("{}:{}", b.path, k.line), !same_finding(finding_of(g), k.finding)};
        }
        if (!used) r.notes.push_back(fmt::format("{}:{}: the known finding '{}' was not seen: take the entry out if it is repaired", b.path, k.line, k.finding));
    }
}

}  // namespace ulpgate
