#include "reports/markdown/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reference/base/text.hpp"
#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"

namespace ulpgate {
namespace {

constexpr std::size_t room_for_the_end = 2048;  // what a run says last: sight, notes, the line on what was left out

// Parts in the order of their weight, as many as fit.
class Page {
  public:
    void add(const std::string& s) { text_ += s; }
    bool fits(const std::string& s) const { return text_.size() + s.size() + room_for_the_end <= markdown_limit; }
    bool try_add(const std::string& s) {
        if (!fits(s)) return false;
        text_ += s;
        return true;
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

std::string sign(const Group& g) {
    if (g.known && !g.known->changed) return "🟡";
    if (fails(g.verdict)) return "🔴";
    return g.verdict == Verdict::pass ? "🟢" : "⚪";
}

std::string head() {
    std::string s = "| | subject |", rule = "|---|---|";
    for (std::size_t c = 0; c < table_heads.size(); ++c) {
        s += fmt::format(" {} |", table_heads[c]);
        rule += table_left[c] ? "---|" : "--:|";
    }
    return s + "\n" + rule + "\n";
}

std::string row(const TableLine& l) {
    std::string s = fmt::format("| {} | {} |", sign(l.g), markdown_code(l.g.subject));
    for (std::size_t c = 0; c < l.cells.size(); ++c) s += fmt::format(" {} |", c == 4 ? markdown_code(l.cells[c]) : markdown(l.cells[c]));
    return s + "\n";
}

// A fenced block whose fence its text cannot close.
std::string block(const std::string& text) {
    std::string safe;
    std::size_t run = 0, longest = 2, from = 0;
    for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
    while (from < text.size()) {
        const auto end = std::min(text.find('\n', from), text.size());
        safe += printable(std::string_view(text).substr(from, end - from)) + "\n";
        from = end + 1;
    }
    const std::string fence(longest + 1, '`');
    return fmt::format("{}text\n{}{}\n", fence, safe, fence);
}

std::string details(const Result& r, const Group& g) {
    return fmt::format("<details><summary>{} {} {} {}</summary>\n\n{}\n</details>\n", sign(g), markup(printable(g.subject)), markup(g.op),
                       markup(printable(finding_of(g))), block(failure_text(r, g, {})));
}

std::string verdict_sentence(const Result& r) {
    std::string s;
    for (const auto& [what, n] : totals(r)) s += fmt::format("{}{} {}", s.empty() ? "" : ", ", n, what);
    if (s.empty()) s = "nothing was tested";
    if (r.context.share < 1) s += fmt::format("; {:.0f} % of the default gate's rows ran", 100 * r.context.share);
    if (!r.complete) s += "; interrupted, the rest did not run";
    return s;
}

// At most n bytes, whole characters.
std::string clipped(std::string s, std::size_t n) {
    if (s.size() <= n) return s;
    while (n && (static_cast<unsigned char>(s[n]) & 0xc0) == 0x80) --n;
    return s.substr(0, n) + "…";
}

std::string closing(const Result& r) {
    const std::string sight = sight_text(r, {});
    std::string s;
    for (const auto line : split(sight, '\n'))
        if (!line.empty()) s += markdown(clipped(std::string(line), 200)) + "  \n";
    const auto& c = r.context;
    return s + markdown(clipped(fmt::format("{} · {} · {} {} · ulpgate {}", c.machine, c.cpu, c.compiler, c.flags, c.version), 200)) + "\n";
}

}  // namespace

std::string to_markdown(const Result& r, const std::string& marker) {
    Page page;
    std::string name;  // nothing that could end the comment
    for (const char c : marker)
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.') name += c;
    page.add(fmt::format("<!-- {} -->\n", name));
    page.add(fmt::format("### {} ulpgate: {}\n\n", r.exit == 0 ? "✅" : "❌", verdict_sentence(r)));

    auto lines = table_lines(r);
    std::stable_sort(lines.begin(), lines.end(), [](const TableLine& a, const TableLine& b) {
        return (fails(a.g.verdict) || a.g.known) > (fails(b.g.verdict) || b.g.known);
    });
    std::size_t rows_left = 0, details_left = 0;
    if (!lines.empty()) page.add(head());
    for (const auto& l : lines) rows_left += !page.try_add(row(l));
    page.add("\n");
    for (const auto& g : r.groups)
        if (fails(g.verdict)) details_left += !page.try_add(details(r, g));
    for (const auto& n : r.not_loaded) details_left += !page.try_add(fmt::format("- 🔴 {} did not load: {}\n", markdown_code(n.subject), markdown(n.reason)));
    for (const auto& k : r.skipped) details_left += !page.try_add(fmt::format("- {} {} SKIPPED: {}\n", k.required ? "🔴" : "⚪", markdown_code(k.subject), markdown(k.reason)));

    std::string end;
    if (rows_left || details_left) end += fmt::format("\n*Left out for length: {} rows of the table and {} details; the JSON has them.*\n", rows_left, details_left);
    end += "\n" + closing(r);
    page.add(end);
    return page.take();
}

}  // namespace ulpgate
