#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/base/hexfloat.hpp"
#include "reports/console/console.hpp"

namespace ulpgate {
namespace {

std::string word(Type t, std::uint32_t w) { return fmt::format("{:0{}x}", w, t == Type::none ? 8 : 2 * bytes(t)); }

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
    const auto all = grouped(g.measure.elements);
    for (const auto& e : g.explained) s += fmt::format("  it computes {}\n", e);
    if (!g.explained.empty()) return s;
    const Contract* c = computes(g);
    if (c) {
        s += fmt::format("  it computes {}: {}: one r a row reproduces {} of {} outputs\n", print(*c, false), formula(*c), all, all);
        if (c->map == Map::f32_gain && g.measure.worst_ulp < 1)
            s += "  closer to real arithmetic than its claim, and still not what it claims\n";
        return s;
    }
    for (const auto& k : g.candidates)
        if (!k.fits && k.row >= 0 && std::find(g.claim.begin(), g.claim.end(), k.contract) == g.claim.end())
            s += fmt::format("  nor {}: row {} col {}\n", print(k.contract, false), k.row, k.col);
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
    const bool element = f.witness.row >= 0 && f.witness.col >= 0;
    if (element) s += fmt::format("  row {} col {}  {}\n", f.witness.row, f.witness.col, element_text(f.witness, f.types));
    if (!f.what.empty()) s += fmt::format("  {}\n", f.what);
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

std::string element_text(const Witness& w, const Contract& types) {
    const auto input = [](Type t, float v) {
        const auto hex = hexfloat(static_cast<double>(v));
        return t == Type::none ? hex : fmt::format("{} ({})", hex, word(t, encode(t, v)));
    };
    auto allowed = word(types.y, w.allowed_lo);
    if (w.allowed_hi != w.allowed_lo) allowed += ".." + word(types.y, w.allowed_hi);
    return fmt::format("x {}  w {}   allowed {}   got {}", input(types.x, w.x), input(types.w, w.w), allowed, word(types.y, w.got));
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
