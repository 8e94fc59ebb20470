#include "reports/result/result.hpp"

#include <algorithm>

namespace ulpgate {
namespace {

constexpr Verdict by_gravity[] = {Verdict::pass,         Verdict::skipped,  Verdict::refused, Verdict::unsupported,
                                  Verdict::mistrusted,   Verdict::over,     Verdict::inadmissible,
                                  Verdict::unstable,     Verdict::corrupted, Verdict::hung,   Verdict::crashed};

bool is_known(const Group& g) { return g.known && !g.known->changed; }

}  // namespace

int gravity(Verdict v) { return static_cast<int>(std::find(std::begin(by_gravity), std::end(by_gravity), v) - std::begin(by_gravity)); }

bool fails(Verdict v) { return gravity(v) >= gravity(Verdict::over); }

std::vector<Contract> computes(const Group& g) {
    if (!fails(g.verdict) && g.failures.empty()) return {};
    return explaining(g.whole);
}

bool claims_nothing(const Claim& c) { return c.empty() || (c.size() == 1 && c[0].map == Map::none); }

std::string finding_of(const Group& g) {
    std::string s(name(g.verdict));
    if (!g.names.empty()) return s + ": " + g.names.front();
    const auto c = g.verdict == Verdict::inadmissible ? computes(g) : std::vector<Contract>{};
    if (!c.empty()) s += ": " + print(c[0], false);
    return s;
}

int exit_of(const Result& r) {
    if (!r.complete) return 130;
    const auto any = [&](std::int64_t Group::*count) { return std::any_of(r.groups.begin(), r.groups.end(), [&](const Group& g) { return g.*count > 0; }); };
    if (r.claim_missing || any(&Group::unreadable_cases)) return 2;
    if (r.context.self_check_failed || any(&Group::other_tensors_cases)) return 3;
    bool crashed = !r.not_loaded.empty(), failing = false, tested = false, required = false, mistrusted = false;
    for (const auto& g : r.groups) {
        if (fails(g.verdict) && !is_known(g)) {
            for (const auto& f : g.failures) crashed |= f.verdict == Verdict::crashed || f.verdict == Verdict::hung;
            crashed |= g.verdict == Verdict::crashed || g.verdict == Verdict::hung;
            failing = true;
        }
        tested |= g.verdict == Verdict::pass || fails(g.verdict);
        if (g.verdict != Verdict::mistrusted && g.verdict != Verdict::unsupported) continue;
        // Both matter where nothing else tested the same op and type.
        mistrusted |= std::none_of(r.groups.begin(), r.groups.end(), [&](const Group& o) {
            return o.op == g.op && o.type == g.type && (o.verdict == Verdict::pass || fails(o.verdict));
        });
    }
    tested |= !r.stages.empty() || !r.eps.empty();  // an analysis
    for (const auto& m : r.maxima) tested = true, failing |= m.inadmissible > 0;
    for (const auto& s : r.skipped) required |= s.required;
    if (crashed) return 4;
    if (failing) return 1;
    if (mistrusted) return 6;
    if (!tested || required) return 5;
    return 0;
}

std::vector<std::pair<std::string, std::int64_t>> totals(const Result& r) {
    std::vector<std::pair<std::string, std::int64_t>> out;
    const auto add = [&](std::string what, std::int64_t n) {
        if (n) out.emplace_back(std::move(what), n);
    };
    for (auto v = std::rbegin(by_gravity); v != std::rend(by_gravity); ++v) {
        if (*v == Verdict::skipped) continue;
        add(std::string(name(*v)), std::count_if(r.groups.begin(), r.groups.end(), [&](const Group& g) { return g.verdict == *v && !is_known(g); }));
    }
    add("known", std::count_if(r.groups.begin(), r.groups.end(), is_known));
    add("skipped", static_cast<std::int64_t>(r.skipped.size()) +
                       std::count_if(r.groups.begin(), r.groups.end(), [](const Group& g) { return g.verdict == Verdict::skipped; }));
    add("not loaded", static_cast<std::int64_t>(r.not_loaded.size()));
    return out;
}

}  // namespace ulpgate
