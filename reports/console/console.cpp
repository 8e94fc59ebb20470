#include "reports/console/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reference/ops/op.hpp"
#include "reports/result/printable.hpp"

namespace ulpgate {
namespace {

// What each of these groups would have seen at least.
Sight weakest(const std::vector<const Group*>& groups) {
    Sight s = groups.front()->whole.sight;
    for (const Group* g : std::vector(groups.begin() + 1, groups.end())) {
        const auto& o = g->whole.sight;
        s.rows += o.rows;
        s.rows_cast_order += o.rows_cast_order;
        s.cast_order = s.cast_order && o.cast_order;
        s.r_high = std::max(s.r_high, o.r_high);
        s.r_low = std::max(s.r_low, o.r_low);
        s.eps_high = std::max(s.eps_high, o.eps_high);
        s.eps_low = std::max(s.eps_low, o.eps_low);
        for (const auto& [d, seen] : o.column) {
            auto& mine = s.column.try_emplace(d, seen).first->second;
            for (std::size_t j = 0; j < std::min(mine.size(), seen.size()); ++j) mine[j] = mine[j] && seen[j];
        }
    }
    // Widths at the machine's edges have too few rows to speak for the model's.
    std::map<std::int64_t, std::vector<bool>> own;
    for (const Group* g : groups) {
        Sizes n;
        const Op* op = find_op(g->op);
        if (!op) continue;
        op->defaults(n);
        if (const auto it = s.column.find(n[op->d]); it != s.column.end()) own.insert(*it);
    }
    if (!own.empty()) s.column = std::move(own);
    s.count();
    return s;
}

std::string pin_lines(const Result& r) {
    std::string s;
    for (const auto& g : r.groups)
        if (g.inferred && !g.unexplained)
            s += fmt::format("{} {} {} claims nothing; this run fits {}: pin it with --contract {}\n", g.subject, g.op, name(g.type), print(g.claim, false),
                             print(g.claim));
    return s;
}

// Each finding once, with the first row of the table that it is about and how many others share it.
std::string finding_lines(const Result& r) {
    std::vector<std::pair<std::string, std::vector<const Group*>>> found;
    std::int64_t beyond = 0;
    for (const auto& g : r.groups) {
        beyond += g.whole.measure.spec_limit_rows;
        for (const auto& f : g.findings) {
            auto it = std::find_if(found.begin(), found.end(), [&](const auto& k) { return k.first == f; });
            if (it == found.end()) it = found.insert(found.end(), {f, {}});
            it->second.push_back(&g);
        }
    }
    std::string s;
    for (const auto& [text, groups] : found) {
        const Group& g = *groups.front();
        const auto more = groups.size() > 1 ? fmt::format(" and {} more", groups.size() - 1) : "";
        s += fmt::format("{} {} {}{}: {}\n", g.subject, g.op, name(g.type), more, text);
    }
    if (beyond) s += fmt::format("spec_limit: in {} rows float32 overflows and the specification itself leaves real arithmetic\n", grouped(beyond));
    return s;
}

}  // namespace

std::string context_text(const Context& c, const Style& style) {
    std::string s = fmt::format("{}  exact sum, integer tail; self-check {}/{}\n", style.dim("oracle "), grouped(static_cast<std::int64_t>(c.self_check - c.self_check_failed)),
                                grouped(static_cast<std::int64_t>(c.self_check)));
    if (c.self_check_failed) s += fmt::format("         {}: {}\n", style.red("the oracle disagrees with the naive reference"), c.self_check_what);
    s += fmt::format("{}  {} · {} {} · contraction off · ftz {}\n", style.dim("machine"), c.machine, c.compiler, c.flags, c.ftz ? "on" : "off");
    return s;
}

std::string sight_text(const Result& r, const Style& style) {
    std::string s;
    std::vector<Type> types;
    for (const auto& g : r.groups)
        if (g.whole.measure.rows && std::find(types.begin(), types.end(), g.type) == types.end()) types.push_back(g.type);
    for (Type t : types) {
        std::vector<const Group*> passing, judged;
        for (const auto& g : r.groups) {
            if (g.type != t || g.whole.sight.rows == 0) continue;
            judged.push_back(&g);
            if (!fails(g.verdict)) passing.push_back(&g);
        }
        const auto& of = passing.empty() ? judged : passing;
        if (of.empty()) continue;
        const auto w = weakest(of);
        std::string widths;
        for (const auto& [d, seen] : w.column) widths += fmt::format("{}{}", widths.empty() ? "" : ", ", d);
        s += fmt::format("{}  {}{}{}\n", style.dim("would have seen"), types.size() > 1 ? fmt::format("{:<5} ", name(t)) : "", w.text(),
                         of.size() > 1 && !widths.empty() ? fmt::format(" (columns at d {})", widths) : "");
    }
    return s;
}

namespace {

// What the check was worth at each stage of the query path.
std::string stage_lines(const Result& r, const Style& style) {
    std::string s;
    for (const auto& g : r.groups) {
        std::string stages;
        for (const QueryStage& q : g.whole.stages)
            if (q.outputs)
                stages += fmt::format("{}{} {:.1f} % of {}", stages.empty() ? "" : " · ", q.stage,
                                      100.0 * static_cast<double>(q.at_most_two) / static_cast<double>(q.outputs), q.outputs);
        if (!stages.empty())
            s += fmt::format("{}  {} {} {}: {}\n", style.dim("at most two values allowed"), g.op, name(g.type), print(g.claim, false), stages);
    }
    for (const auto& g : r.groups) {
        const QueryShares& q = g.whole.shares;
        if (q.whole == 0) continue;
        std::string stages;
        for (std::size_t k = 0; k < query_error_stages.size(); ++k)
            stages += fmt::format("{}{} {:.1f} %", k ? " · " : "", query_error_stages[k], 100 * q.share(k));
        s += fmt::format("{}  {} {} {}: {} (rms {:.3g} ulp of {} outputs)\n", style.dim("share of the error"), g.op, name(g.type), print(g.claim, false), stages,
                         q.rms(query_error_stages.size()), q.outputs);
    }
    if (!s.empty())
        s += "worst ulp of mla_query and head: of each sum over K against its exact value, in ulps of the output's type or, where its terms cancel, of float32 at "
             "the sum of their sizes\n";
    return s;
}

}  // namespace

std::string result_text(const Result& result, const Style& style) {
    const Result r = printable(result);
    std::string s = table_text(r, style) + sight_text(r, style) + stage_lines(r, style) + pin_lines(r);
    for (const auto& i : r.subjects)
        if (!i.mode.empty()) s += fmt::format("{}: floating-point mode after load: {}\n", i.text, i.mode);
    for (const auto& g : r.groups) {
        s += failure_text(r, g, style);
    }
    s += finding_lines(r);
    for (const auto& n : r.not_loaded) s += fmt::format("{}: {}: {}\n", n.subject, style.red("DID NOT LOAD"), n.reason);
    for (const auto& k : r.skipped)
        s += fmt::format("{}: {}: {}{}\n", k.subject, k.required ? style.red("SKIPPED") : style.yellow("SKIPPED"), k.reason, k.required ? " (required)" : "");
    for (const auto& n : r.notes) s += fmt::format("note: {}\n", n);
    return s + totals_text(r, style);
}

}  // namespace ulpgate
