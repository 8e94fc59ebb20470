#include "reports/html/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "reference/base/text.hpp"
#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"
#include "reports/result/printable.hpp"

namespace ulpgate::html {
namespace {

std::string counted(const Result& r) {
    std::string s;
    for (const auto& [what, n] : totals(r)) s += fmt::format("{}{} {}", s.empty() ? "" : ", ", n, what);
    return s.empty() ? (r.stages.empty() && r.eps.empty() && r.maxima.empty() ? "nothing was tested" : "an analysis, not a gate") : s;
}

std::string sentence(const Result& r) {
    const Group* worst = nullptr;
    for (const auto& g : r.groups)
        if (fails(g.verdict) && !(g.known && !g.known->changed) && (!worst || gravity(g.verdict) > gravity(worst->verdict))) worst = &g;
    if (!worst && r.groups.empty() && !r.stages.empty()) return "Where the error of " + r.stages[0].subject + " comes from";
    if (!worst && r.groups.empty() && !r.eps.empty()) return "What eps does to these rows";
    if (!worst && r.groups.empty() && !r.maxima.empty()) return "The largest errors that are known of each kernel";
    if (!worst) return r.groups.empty() ? counted(r) : r.exit == 0 ? "Every output is one that its contract allows." : "Nothing failed, and not everything was tested.";
    std::string s = fmt::format("{} {} {} is not what it claims", worst->subject, worst->op, name(worst->type));
    if (worst->verdict != Verdict::inadmissible) s = fmt::format("{} {} {}: {}", worst->subject, worst->op, name(worst->type), name(worst->verdict));
    if (!worst->explained.empty()) return s + ": it computes " + worst->explained.front() + ".";
    if (const auto c = computes(*worst); !c.empty()) return s + fmt::format(": it computes {}, {}.", print(c[0], false), formula(c[0]));
    return s + (worst->unknown.empty() ? "." : ": " + worst->unknown + ".");
}

// What was tried on a failing group: the rows each hypothesis reproduced and the element that excludes it.
std::string hypotheses(const Group& g) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < g.names.size(); ++k)
        rows.push_back({code(g.names[k]), "<span class=\"green\">equal</span>", "all that were looked at", "", "", k < g.explained.size() ? text(g.explained[k]) : ""});
    for (const auto& c : g.whole.candidates)
        rows.push_back({code(print(c.contract, false)), c.fits ? "<span class=\"green\">equal</span>" : "excluded", grouped(c.rows), grouped(c.outputs),
                        c.fits || c.row < 0 ? "" : fmt::format("row {} col {}", c.row, c.col), ""});
    for (const auto& x : g.excluded) rows.push_back({code(x.kind), "excluded", "not all", "", x.col < 0 ? fmt::format("row {}", x.row) : fmt::format("row {} col {}", x.row, x.col), text(x.why)});
    if (rows.empty()) return "";
    return fmt::format("<details><summary>{} hypotheses, each with the rows that it reproduces and what excludes it</summary>{}</details>\n", rows.size(),
                       table({"hypothesis", "", "rows reproduced", "outputs", "excluded by", "what shows"}, rows, {false, false, true, true, false, false}));
}

}  // namespace

std::string colour(const Group& g) {
    if (g.known && !g.known->changed) return "amber";
    if (fails(g.verdict)) return "red";
    return g.verdict == Verdict::pass ? "green" : "amber";
}

std::string text(std::string_view s) { return markup(printable(s)); }
std::string replay(std::string_view subject, std::string_view line, std::string_view summary) {
    if (line.empty()) return "";
    return fmt::format("<details class=\"case\"><summary>{}</summary>{}</details>", text(summary), code(fmt::format("ulpgate replay {} {}", shell_word(subject), line)));
}
std::string code(std::string_view s) { return "<code>" + text(s) + "</code>"; }

std::string table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right) {
    const auto mark = [&](std::size_t c) { return right[c] ? " class=\"n\"" : ""; };
    std::string s = "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>";
    for (std::size_t c = 0; c < heads.size(); ++c) s += fmt::format("<th scope=\"col\"{}>{}</th>", mark(c), text(heads[c]));
    s += "</tr></thead><tbody>\n";
    for (const auto& row : rows) {
        s += "<tr>";
        for (std::size_t c = 0; c < row.size(); ++c) s += fmt::format("<td{}>{}</td>", mark(c), row[c]);
        s += "</tr>\n";
    }
    return s + "</tbody></table></div>\n";
}

namespace {

std::string three(std::array<std::pair<std::string, std::string>, 3> all) {
    std::string s = "<div class=\"numbers\">";
    for (const auto& [number, words] : all) s += fmt::format("<span><b>{}</b>{}</span>", text(number), text(words));
    return s + "</div>\n";
}

// Of the first table: the page is about it.
std::string numbers_of_an_analysis(const Result& r) {
    if (!r.groups.empty()) return "";
    if (!r.stages.empty() && !r.stages[0].lines.empty()) {
        const auto& t = r.stages[0];
        const auto most = std::max_element(t.lines.begin(), t.lines.end(), [](const StageLine& a, const StageLine& b) { return a.share < b.share; });
        return three({{{fmt::format("{:.3g}", t.rms_ulp), "ulp RMS in all"}, {fmt::format("{:.1f} %", 100 * most->share), "of its square from " + most->stage}, {fmt::format("{:.3g}", t.worst_ulp), "ulp at most"}}});
    }
    if (!r.eps.empty()) {
        const auto& t = r.eps[0];
        return three({{{grouped(t.rows), fmt::format("rows of {} {}", t.op, name(t.type))}, {fmt::format("{:.2g}", t.share_median), "eps / (v + eps), the median row"}, {fmt::format("{:.2g}", t.share_worst), "the worst row"}}});
    }
    return "";
}

}  // namespace

std::string verdict_strip(const Result& r) {
    std::int64_t rows = 0, outside = 0, elements = 0;
    double ulp32 = 0;
    for (const auto& g : r.groups) {
        rows += g.whole.measure.rows;
        outside += g.whole.measure.outside;
        elements += g.whole.measure.elements;
        if (g.verdict == Verdict::pass) ulp32 = std::max(ulp32, g.whole.measure.worst_r_ulp32);
    }
    std::string s = fmt::format("<div class=\"strip {}\">\n<h1>{}</h1>\n<p>{}{}{}</p>\n", r.exit == 0 ? "good" : "bad", text(sentence(r)), text(counted(r)),
                                r.context.share < 1 ? fmt::format("; {:.0f} % of the default gate's rows ran", 100 * r.context.share) : "", r.complete ? "" : "; interrupted, the rest did not run");
    if (!r.groups.empty()) {
        s += fmt::format("<div class=\"numbers\"><span><b>{}</b>rows judged</span><span><b>{}</b>outputs outside the allowed set</span><span><b>{}</b>ulp32, the worst r that passed</span></div>\n",
                         grouped(rows), share_of(outside, elements), short_number(ulp32));
        const std::string sight = sight_text(r, {});
        std::string seen;
        for (const auto line : split(sight, '\n'))
            if (!line.empty()) seen += (seen.empty() ? "" : "<br>") + text(line);
        s += fmt::format("<p class=\"dim\">{}</p>\n", seen);
    }
    return s + numbers_of_an_analysis(r) + "</div>\n";
}

std::string failures(const Result& r) {
    const Result shown = printable(r);
    std::string s;
    for (const auto& g : shown.groups) {
        if (!fails(g.verdict) && !g.known) continue;
        s += fmt::format("<h3 class=\"{}\">{} {} {}: {}</h3>\n<pre>{}</pre>\n{}", colour(g), text(g.subject), text(g.op), name(g.type), text(finding_of(g)), markup(failure_text(shown, g, {})), hypotheses(g));
    }
    for (const auto& n : r.not_loaded) s += fmt::format("<p class=\"red\">{} did not load: {}</p>\n", code(n.subject), text(n.reason));
    for (const auto& k : r.skipped) s += fmt::format("<p class=\"{}\">{} SKIPPED: {}</p>\n", k.required ? "red" : "amber", code(k.subject), text(k.reason));
    return s.empty() ? "" : "<h2>What failed or did not run</h2>\n" + s;
}

std::string case_tables(const Result& r) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& g : r.groups)
        for (const auto& c : g.cells)
            rows.push_back({code(g.subject), text(g.op), text(print(g.claim)), std::to_string(c.d), text(c.profile), std::to_string(c.measure.rows), short_number(c.measure.worst_ulp),
                            short_number(c.measure.worst_r_ulp32), share_of(c.measure.outside, c.measure.elements)});
    std::string s;
    if (!r.groups.empty()) {
        std::vector<std::vector<std::string>> lines;
        for (const auto& l : table_lines(r)) {
            std::vector<std::string> row{code(l.g.subject)};
            for (std::size_t c = 0; c < l.cells.size(); ++c)
                row.push_back(c + 1 == l.cells.size() ? fmt::format("<span class=\"{}\">{}</span>", colour(l.g), text(l.cells[c])) : text(l.cells[c]));
            lines.push_back(row);
        }
        std::vector<std::string> heads{"subject"};
        std::vector<bool> right{false};
        for (std::size_t c = 0; c < table_heads.size(); ++c) heads.emplace_back(table_heads[c]), right.push_back(!table_left[c]);
        s += "<h2>Every op and type</h2>\n" + table(heads, lines, right);
    }
    if (rows.empty()) return s;
    return s + fmt::format("<details><summary>{} sizes and profiles</summary>{}</details>\n", rows.size(),
                           table({"subject", "op", "claim", "d", "profile", "rows", "worst ulp", "r ulp32", "outside"}, rows, {false, false, false, true, false, true, true, true, true}));
}

std::string environment(const Result& r) {
    const auto& c = r.context;
    std::vector<std::vector<std::string>> rows{{"ulpgate", text(c.version)},
                                               {"machine", text(c.machine + ", " + c.cpu)},
                                               {"system", text(c.system)},
                                               {"compiler", text(c.compiler + " " + c.flags + ", contraction off")},
                                               {"flush to zero", c.ftz ? "on" : "off"},
                                               {"seed", std::to_string(c.seed)},
                                               {"oracle self-check", fmt::format("{} of {}", c.self_check - c.self_check_failed, c.self_check)}};
    for (const auto& s : r.subjects) rows.push_back({code(s.text), text(s.name + " " + s.version + (s.mode.empty() ? "" : ", " + s.mode))});
    std::string limits;
    std::vector<std::vector<std::string>> budget;
    for (const auto& g : r.groups)
        for (const auto& l : g.limits)
            budget.push_back({text(l.where), text(fmt::format("{} {} {}", g.subject, g.op, name(g.type))), text(l.quantity), short_number(l.limit), short_number(l.measured),
                              l.over ? "<span class=\"red\">over</span>" : text(l.note)});
    if (!budget.empty())
        limits = fmt::format("<details><summary>Budget: {} limits</summary>{}</details>\n", budget.size(),
                             table({"where", "of", "quantity", "limit", "measured", ""}, budget, {false, false, false, true, true, false}));
    std::string notes;
    for (const auto& n : r.notes) notes += fmt::format("<p class=\"dim\">note: {}</p>\n", text(n));
    return limits + "<details><summary>Environment</summary>" + table({"", ""}, rows, {false, false}) + "</details>\n" + notes;
}

}  // namespace ulpgate::html
