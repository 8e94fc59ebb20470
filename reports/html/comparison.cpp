#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reference/base/text.hpp"
#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"
#include "reports/html/parts.hpp"

namespace ulpgate::html {
namespace {

struct Cell {
    const Group* sampled = nullptr;  // the gravest; of equal ones that with the larger error of r
    std::vector<const Maximum*> maxima;
};

struct Sides {
    std::vector<std::string> subjects, columns;  // in the order of the run
    std::map<std::pair<std::string, std::string>, Cell> cells;

    Cell& at(const std::string& subject, const std::string& op, Type t) {
        const auto column = fmt::format("{} {}", op, name(t));
        for (auto [list, word] : {std::pair{&subjects, subject}, {&columns, column}})
            if (std::find(list->begin(), list->end(), word) == list->end()) list->push_back(word);
        return cells[{subject, column}];
    }
};

bool heavier(const Group& a, const Group& b) {
    return gravity(a.verdict) != gravity(b.verdict) ? gravity(a.verdict) > gravity(b.verdict) : a.whole.measure.worst_r_ulp32 > b.whole.measure.worst_r_ulp32;
}

Sides sides_of(const Result& r) {
    Sides s;
    for (const auto& g : r.groups) {
        auto& cell = s.at(g.subject, g.op, g.type);
        if (!cell.sampled || heavier(g, *cell.sampled)) cell.sampled = &g;
    }
    for (const auto& m : r.maxima) s.at(m.subject, m.op, m.type).maxima.push_back(&m);
    return s;
}

std::string sampled(const Group& g) {
    const auto& m = g.whole.measure;
    std::string s = fmt::format("<div><span class=\"{}\">{}</span>", colour(g), name(g.verdict));
    if (m.rows) s += fmt::format(" {} ulp, r {} ulp32<br><span class=\"dim\">sampled {} rows</span>{}", short_number(m.worst_ulp), short_number(m.worst_r_ulp32), grouped(m.rows), replay(g.subject, g.worst_line, "witness"));
    return s + "</div>";
}

std::string maximum(const Maximum& m) {
    const bool r = m.quantity == "r_ulp32";
    std::string count = m.count;  // "searched 100000": the number in groups
    std::int64_t n = 0;
    if (const auto space = m.count.find(' '); space != std::string::npos && parse_integer(std::string_view(m.count).substr(space + 1), n)) count = m.count.substr(0, space + 1) + grouped(n);
    std::string s = fmt::format("<div>{}{} {}", r ? "r " : "", short_number(m.value), r ? "ulp32" : "ulp");
    if (m.inadmissible) s += fmt::format(", <span class=\"red\">{} inadmissible</span>", grouped(m.inadmissible));
    s += fmt::format("<br><span class=\"dim\">{} {}</span>", text(count), r ? "rows" : fmt::format("words, d {}", m.d));
    return s + replay(m.subject, m.line, "witness") + "</div>";
}

std::string cell(const Cell& c) {
    std::string s = c.sampled ? sampled(*c.sampled) : "";
    for (const auto* m : c.maxima) s += maximum(*m);
    return s;
}

}  // namespace

std::string comparison(const Result& r) {
    const auto sides = sides_of(r);
    if (sides.subjects.size() < 2 && r.maxima.empty()) return "";
    std::vector<std::vector<std::string>> rows;
    for (const auto& subject : sides.subjects) {
        std::vector<std::string> row{code(subject)};
        for (const auto& column : sides.columns) {
            const auto it = sides.cells.find({subject, column});
            row.push_back(it == sides.cells.end() ? "<span class=\"dim\">–</span>" : cell(it->second));
        }
        rows.push_back(std::move(row));
    }
    std::vector<std::string> heads{"subject"};
    heads.insert(heads.end(), sides.columns.begin(), sides.columns.end());
    return "<h2>Subjects side by side</h2>\n<p class=\"dim\">The largest error of an output and of r, and the case that reached it. Sampled: of the rows of a gate, a lower bound. "
           "Searched: the largest that a search reached, a lower bound too. Exhaustive: of every word there is.</p>\n<div class=\"sides\">" +
           table(heads, rows, std::vector<bool>(heads.size(), false)) + "</div>\n";
}

}  // namespace ulpgate::html
