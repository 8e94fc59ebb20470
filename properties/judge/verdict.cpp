#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "properties/judge/judge.hpp"
#include "reference/base/hexfloat.hpp"

namespace ulpgate {
namespace {

// Of two verdicts on parts of one run, the one that is said.
int weight(Verdict v) {
    constexpr std::array order{Verdict::skipped,      Verdict::refused,     Verdict::pass,
                               Verdict::mistrusted,   Verdict::unsupported, Verdict::over,
                               Verdict::inadmissible, Verdict::unstable,    Verdict::corrupted,
                               Verdict::hung,         Verdict::crashed};
    return static_cast<int>(std::find(order.begin(), order.end(), v) - order.begin());
}

std::string grouped(std::int64_t n) {
    std::string s = std::to_string(n);
    for (auto at = static_cast<std::ptrdiff_t>(s.size()) - 3; at > 0; at -= 3)
        s.insert(static_cast<std::size_t>(at), ",");
    return s;
}

void add(std::vector<Candidate>& to, const Candidate& c) {
    for (Candidate& mine : to) {
        if (!(mine.contract == c.contract)) continue;
        if (mine.fits && !c.fits) {
            mine.fits = false;
            mine.row = c.row;
            mine.col = c.col;
        }
        mine.rows += c.rows;
        mine.outputs += c.outputs;
        return;
    }
    to.push_back(c);
}

}  // namespace

std::string_view name(Verdict v) {
    constexpr std::string_view names[] = {"pass",        "over",    "inadmissible", "corrupted",
                                          "unstable",    "crashed", "hung",         "mistrusted",
                                          "unsupported", "refused", "skipped"};
    return names[static_cast<int>(v)];
}

int exit_code(const std::vector<Verdict>& all) {
    const auto any = [&](auto... v) {
        return std::any_of(all.begin(), all.end(), [&](Verdict a) { return ((a == v) || ...); });
    };
    if (any(Verdict::crashed, Verdict::hung)) return 4;
    if (any(Verdict::over, Verdict::inadmissible, Verdict::corrupted, Verdict::unstable)) return 1;
    if (any(Verdict::mistrusted, Verdict::unsupported)) return 6;
    return any(Verdict::pass) ? 0 : 5;
}

std::string Witness::text(const Contract& c) const {
    const int digits = bytes(c.y) * 2;
    std::string s = fmt::format("row {} col {}  x {} ({:0{}x})", row, col, hexfloat(static_cast<double>(x)),
                                encode(round_to(c.x, x) == x ? c.x : Type::f32, x),
                                bytes(round_to(c.x, x) == x ? c.x : Type::f32) * 2);
    if (c.gain != Gain::none)
        s +=
            fmt::format("  w {} ({:0{}x})", hexfloat(static_cast<double>(w)), encode(c.w, w), bytes(c.w) * 2);
    s += fmt::format("   allowed {:0{}x}", allowed_lo, digits);
    if (allowed_hi != allowed_lo) s += fmt::format("..{:0{}x}", allowed_hi, digits);
    return s + fmt::format("   got {:0{}x}", got, digits);
}

void merge(Judgement& to, const Judgement& from) {
    const auto trusted = [](Verdict v) { return v == Verdict::mistrusted ? Verdict::pass : v; };
    if (to.verdict == Verdict::mistrusted) {
        to.verdict = Verdict::pass;
        to.what.clear();
    }
    if (weight(trusted(from.verdict)) > weight(to.verdict)) {
        to.verdict = trusted(from.verdict);
        to.what = from.verdict == Verdict::mistrusted ? "" : from.what;
        to.reason = from.reason;
        to.witness = from.witness;
        to.incoherent = from.incoherent;
    }
    for (const auto& f : from.findings)
        if (std::find(to.findings.begin(), to.findings.end(), f) == to.findings.end())
            to.findings.push_back(f);
    for (const Candidate& c : from.candidates) add(to.candidates, c);
    to.inferred = to.inferred || from.inferred;
    to.measure.merge(from.measure);
    to.sight.merge(from.sight);
    to.shares.merge(from.shares);
    for (const QueryStage& s : from.stages) {
        auto at = std::find_if(to.stages.begin(), to.stages.end(), [&](const QueryStage& o) { return o.stage == s.stage; });
        if (at == to.stages.end()) {
            to.stages.push_back(s);
            continue;
        }
        at->outputs += s.outputs;
        at->at_most_two += s.at_most_two;
        at->untold += s.untold;
        at->outside += s.outside;
        at->width = std::max(at->width, s.width);
    }
}

void conclude(Judgement& j) {
    if (j.verdict != Verdict::pass) return;
    if (j.inferred && !j.candidates.empty() && explaining(j).empty()) {
        j.verdict = Verdict::inadmissible;
        j.what = "no contract explains it: each fits some cases and none all";
        return;
    }
    const Measure& m = j.measure;
    if (m.rows > 0 && m.eps_dominated_rows * 20 > m.rows * 19) {
        j.verdict = Verdict::mistrusted;
        j.what = fmt::format("eps dominates {} of {} rows: r is nearly eps^-1/2 whatever the kernel sums",
                             grouped(m.eps_dominated_rows), grouped(m.rows));
    }
    for (const QueryStage& s : j.stages) {
        if (s.stage != "q" || s.untold * 20 <= s.outputs * 19) continue;
        j.verdict = Verdict::mistrusted;
        j.what = fmt::format("from h to q the allowed sets are wider than a quarter of the value in {} of {} outputs (widest {:.3g} ulp): tap q_a, its norm and q_b (taps=out)",
                             grouped(s.untold), grouped(s.outputs), s.width);
    }
}

std::vector<Contract> explaining(const Judgement& j) {
    std::vector<Contract> out;
    for (const Candidate& c : j.candidates) {
        if (!c.fits) continue;
        Contract any = c.contract;
        any.assoc = Assoc::any;
        int same = 0;
        for (const Candidate& o : j.candidates) {
            Contract a = o.contract;
            a.assoc = Assoc::any;
            same += o.fits && a == any;
        }
        const Contract& said = same == 3 ? any : c.contract;
        if (std::find(out.begin(), out.end(), said) == out.end()) out.push_back(said);
    }
    return out;
}

std::vector<std::string> explanations(const Judgement& j) {
    std::vector<std::string> out;
    for (const Contract& said : explaining(j))
        for (const Candidate& c : j.candidates) {
            Contract a = c.contract;
            if (said.assoc == Assoc::any) a.assoc = Assoc::any;
            if (!c.fits || !(a == said)) continue;
            out.push_back(fmt::format("{}: one r a row reproduces {} of {} outputs", print(said, false),
                                      grouped(c.outputs), grouped(c.outputs)));
            break;
        }
    return out;
}

void Sight::merge(const Sight& o) {
    const bool first = rows == 0;
    rows += o.rows;
    r_high = std::min(r_high, o.r_high);
    r_low = std::min(r_low, o.r_low);
    eps_high = std::min(eps_high, o.eps_high);
    eps_low = std::min(eps_low, o.eps_low);
    cast_order = first ? o.cast_order : cast_order && (o.cast_order || o.rows == 0);
    rows_cast_order += o.rows_cast_order;
    for (const auto& [d, seen] : o.column) {
        auto& mine = column[d];
        mine.resize(seen.size(), false);
        for (std::size_t j = 0; j < seen.size(); ++j) mine[j] = mine[j] || seen[j];
    }
    count();
}

void Sight::count() {
    r_relative = std::max(r_high, r_low);
    eps_relative = std::max(eps_high, eps_low);
    columns_seen = 0;
    std::int64_t all = 0;
    for (const auto& [d, seen] : column) {
        columns_seen += std::count(seen.begin(), seen.end(), true);
        all += d;
    }
    any_column = all > 0 && columns_seen == all;
}

namespace {

// One significant digit, rounded up: never less than what was proven. "4e-8", "3", "250".
std::string up(double v) {
    if (v >= 10) return grouped(static_cast<std::int64_t>(std::ceil(std::min(v, 1e15))));
    if (v >= 1) return fmt::format("{}", std::ceil(v));
    int e = static_cast<int>(std::floor(std::log10(v)));
    double m = std::ceil(v / std::pow(10, e));
    if (m >= 10) m = 1, ++e;
    return e >= -2 ? fmt::format("{:.{}f}", m * std::pow(10, e), -e) : fmt::format("{}e{}", m, e);
}

std::string change(std::string_view of, double high, double low, double scale, std::string_view unit) {
    if (high == Sight::unseen && low == Sight::unseen) return fmt::format("{} unseen", of);
    if (low == Sight::unseen) return fmt::format("{} high by {}{}", of, up(high * scale), unit);
    if (high == Sight::unseen) return fmt::format("{} low by {}{}", of, up(low * scale), unit);
    return fmt::format("{} off by {}{}", of, up(std::max(high, low) * scale), unit);
}

}  // namespace

std::string Sight::text() const {
    if (rows == 0) return "nothing";
    std::string s =
        change("r", r_high, r_low, 1, "") + " · " + change("eps", eps_high, eps_low, 100, " %") + " · ";
    std::int64_t all = 0;
    for (const auto& [d, seen] : column) all += d;
    if (any_column)
        s += "any dropped column";
    else if (columns_seen == 0)
        s += "no dropped column";
    else
        s += fmt::format("{} of {} dropped columns", grouped(columns_seen), grouped(all));
    if (!cast_order) return s;
    if (rows_cast_order == 0) return s + " · cast order unseen";
    return s + fmt::format(" · cast order in {} of {} rows", grouped(rows_cast_order), grouped(rows));
}

}  // namespace ulpgate
