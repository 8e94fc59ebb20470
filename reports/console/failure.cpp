#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/console/console.hpp"

namespace ulpgate {
namespace {

std::string title(const Group& g, const Failure& f) {
    const auto who = fmt::format("{} {}", g.op, name(g.type));
    switch (f.verdict) {
    case Verdict::inadmissible:
        if (g.unexplained) return who + ": no contract explains it";
        return fmt::format("{} is not {}{}", who, print(g.claim, false), f.incoherent ? ": no one r fits the row" : "");
    case Verdict::corrupted: return fmt::format("{} corrupted memory", who);
    case Verdict::unstable: return fmt::format("{} is unstable", who);
    case Verdict::crashed: return fmt::format("{} crashed", who);
    case Verdict::hung: return fmt::format("{} hung", who);
    default: return fmt::format("{} is {}", who, name(f.verdict));
    }
}

std::string computes_lines(const Group& g) {
    std::string s;
    for (const auto& e : g.explained) s += fmt::format("  it computes {}\n", e);
    if (!g.explained.empty()) return s;
    const auto found = computes(g);
    const auto lines = explanations(g.whole);
    for (std::size_t k = 0; k < found.size() && k < lines.size(); ++k) {
        const auto colon = lines[k].find(": ");
        s += fmt::format("  it computes {}: {}{}\n", lines[k].substr(0, colon), formula(found[k]), lines[k].substr(colon));
    }
    if (!found.empty()) {
        if (found[0].map == Map::f32_gain && g.whole.measure.worst_ulp < 1)
            s += "  closer to real arithmetic than its claim, and still not what it claims\n";
        return s;
    }
    s += fmt::format("  {}\n", g.unknown.empty() ? "unknown" : g.unknown);
    // The plain contracts, each with the element that excludes it; the JSON has all that were tried.
    std::string excluded;
    std::int64_t more = 0;
    for (const auto& k : g.whole.candidates) {
        const bool claimed = std::any_of(g.claim.begin(), g.claim.end(), [&](const Contract& c) { return c.map == k.contract.map && k.contract.by == c.by; });
        if (k.fits || k.row < 0 || claimed) continue;
        const bool plain = k.contract.by == By::mul && (g.claim.empty() || k.contract.gain == g.claim[0].gain) && k.contract.assoc <= Assoc::xr_w;
        if (!plain) ++more;
        else excluded += fmt::format("{}{} (row {} col {})", excluded.empty() ? "" : ", ", print(k.contract, false), k.row, k.col);
    }
    if (!excluded.empty()) s += fmt::format("  nor {}{}\n", excluded, more ? fmt::format(", nor {} others that were tried", more) : "");
    return s;
}

std::string command(const std::vector<std::string>& argv) {
    std::string s;
    for (const auto& a : argv) s += (s.empty() ? "" : " ") + shell_word(a);
    return s;
}

std::string over_lines(const Group& g, const Style& style) {
    std::string s;
    for (const auto& l : g.limits) {
        const auto what = l.quantity == "ulp" ? "worst ulp" : "r ulp32";
        if (l.over)
            s += fmt::format("{} {} is over its budget\n  {} {} is above {}  ({}: {})\n", style.red(g.op), style.red(name(g.type)), what,
                             short_number(l.measured), short_number(l.limit), l.where, l.why);
        if (l.over && !l.line.empty()) s += fmt::format("  {:<7} ulpgate replay {} {}\n", "replay", shell_word(g.subject), l.line);
        if (!l.note.empty()) s += fmt::format("{} {}\n", l.where, l.note);
    }
    return s;
}

std::string one(const Group& g, const Failure& f, const Style& style, bool first, const std::string& prefix) {
    std::string s = prefix + style.red(title(g, f)) + "\n";
    if (!f.what.empty()) s += fmt::format("  {}\n", f.what);
    if (!f.reason.empty()) s += fmt::format("  {}\n", f.reason);
    if (first && f.verdict == Verdict::inadmissible) {
        s += computes_lines(g);
        if (!g.fix.empty()) s += fmt::format("  {:<7} {}\n", "fix", g.fix);
    }
    if (!f.replay.empty()) s += fmt::format("  {:<7} {}\n", "replay", style.bold(command(f.replay)));
    return s;
}

}  // namespace

std::string formula(const Contract& c) {
    if (c.map == Map::cast_first) return c.by == By::div ? "T(w·T(x/rms))" : "T(w·T(x·r))";
    switch (c.assoc) {
    case Assoc::xr_w: return "T((x·r)·w)";
    case Assoc::x_rw: return "T(x·(r·w))";
    case Assoc::xw_r: return "T((x·w)·r)";
    case Assoc::any: break;
    }
    return c.by == By::div ? "T((x/rms)·w)" : "T(x·r·w)";
}

std::string failure_text(const Result& r, const Group& g, const Style& style) {
    const std::string prefix = r.subjects.size() > 1 ? g.subject + ": " : "";
    std::string s;
    bool first = true;
    for (const auto& f : g.failures) {
        s += one(g, f, style, first, prefix);
        first = false;
    }
    if (auto over = over_lines(g, style); !over.empty()) s += over;
    if (g.known)
        s += fmt::format("  {}   {} until {}: {} ({})\n", g.known->changed ? style.red("known finding has changed: was") : style.yellow("known"),
                         g.known->finding, g.known->until, g.known->why, g.known->where);
    return s;
}

}  // namespace ulpgate
