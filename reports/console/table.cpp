#include <fmt/format.h>

#include <algorithm>

#include "reports/console/console.hpp"

namespace ulpgate {
namespace {

constexpr std::size_t columns = table_heads.size();

std::string sizes(const std::vector<std::int64_t>& d) {
    if (d.empty()) return "-";
    const auto [lo, hi] = std::minmax_element(d.begin(), d.end());
    return *lo == *hi ? std::to_string(*lo) : fmt::format("{}-{}", *lo, *hi);
}

std::string upper(std::string_view s) {
    std::string out(s);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

std::string verdict_words(const Group& g) {
    const auto word = name(g.verdict);
    if (g.known && !g.known->changed) return fmt::format("{} (known)", word);
    std::string s = fails(g.verdict) || g.verdict == Verdict::mistrusted || g.verdict == Verdict::skipped ? upper(word) : std::string(word);
    if (!g.failures.empty() && g.failures.front().incoherent) s += " (incoherent)";
    if (g.known) s += " (changed)";
    return s;
}

// What fixes the values; how the kernel may be called is in the JSON.
std::string claim_words(const Group& g) {
    if (g.unexplained || g.claim.empty() || g.claim[0].map == Map::none) return "none";
    auto claim = g.claim;
    for (auto& c : claim) {
        c.inplace = InPlace::never;
        c.holds = Contract{}.holds;
    }
    return print(claim, false) + (g.inferred ? " (inferred)" : "");
}

bool collapses(const Group& g) { return g.verdict == Verdict::pass && !g.inferred && !g.known; }

std::vector<TableLine> lines_of(const Result& r) {
    std::vector<TableLine> out;
    for (const auto& g : r.groups) {
        const auto it = std::find_if(out.begin(), out.end(), [&](const TableLine& l) {
            return collapses(g) && collapses(l.g) && l.g.subject == g.subject && l.g.op == g.op && l.g.type == g.type && l.g.claim[0].y == g.claim[0].y;
        });
        if (it == out.end()) {
            out.push_back({g, 1, {}});
            continue;
        }
        ++it->claims;
        it->g.whole.measure.merge(g.whole.measure);
        for (auto d : g.d)
            if (std::find(it->g.d.begin(), it->g.d.end(), d) == it->g.d.end()) it->g.d.push_back(d);
    }
    return out;
}

std::vector<std::string> cells_of(const TableLine& line) {
    const Group& g = line.g;
    const auto& m = g.whole.measure;
    const bool judged = m.rows > 0;
    return {g.op,
            std::string(name(g.type)),
            sizes(g.d),
            std::to_string(m.rows),
            line.claims > 1 ? fmt::format("{} +{}", claim_words(g), line.claims - 1) : claim_words(g),
            judged ? short_number(m.worst_ulp) : "-",
            judged ? short_number(m.worst_r_ulp32) : "-",
            judged ? share_of(m.outside, m.elements) : "-",
            verdict_words(g)};
}

std::string painted(const Group& g, const std::string& s, const Style& style) {
    if (g.known && !g.known->changed) return style.yellow(s);
    if (fails(g.verdict)) return style.red(s);
    return g.verdict == Verdict::pass ? style.green(s) : style.yellow(s);
}

std::string padded(std::string_view cell, std::size_t width, std::size_t column) {
    if (column + 1 == columns) return std::string(cell);
    return table_left[column] ? fmt::format("{:<{}}  ", cell, width) : fmt::format("{:>{}}  ", cell, width);
}

}  // namespace

std::vector<TableLine> table_lines(const Result& r) {
    auto lines = lines_of(r);
    for (auto& l : lines) l.cells = cells_of(l);
    return lines;
}

std::string table_text(const Result& r, const Style& style) {
    if (r.groups.empty()) return "";
    const auto lines = table_lines(r);
    std::size_t width[columns];
    for (std::size_t c = 0; c < columns; ++c) {
        width[c] = table_heads[c].size();
        for (const auto& l : lines) width[c] = std::max(width[c], l.cells[c].size());
    }
    std::string out;
    for (std::size_t c = 0; c < columns; ++c) out += padded(table_heads[c], width[c], c);
    out = style.bold(out) + "\n";
    const bool several = r.subjects.size() > 1;
    std::string subject;
    for (const auto& line : lines) {
        const auto& g = line.g;
        if (several && g.subject != subject) out += style.bold(g.subject) + "\n";
        subject = g.subject;
        for (std::size_t c = 0; c < columns; ++c) {
            const auto cell = padded(line.cells[c], width[c], c);
            out += c + 1 == columns ? painted(g, cell, style) : cell;
        }
        out += "\n";
    }
    return out;
}

std::string totals_text(const Result& r, const Style& style) {
    std::string s;
    for (const auto& [what, n] : totals(r)) s += fmt::format("{}{} {}", s.empty() ? "" : ", ", n, what);
    if (s.empty()) s = "nothing was tested";
    s += fmt::format(" in {:.1f} s", r.seconds);
    if (r.context.share < 1) s += fmt::format("; {:.0f} % of the default gate's rows ran", 100 * r.context.share);
    if (!r.complete) s += "; interrupted, the rest did not run";
    return (r.exit == 0 ? style.green(s) : style.red(s)) + "\n";
}

}  // namespace ulpgate
