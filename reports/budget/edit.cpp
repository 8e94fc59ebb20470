#include "reports/budget/edit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/base/text.hpp"

namespace ulpgate {
namespace {

// Byte of the n-th code point, n from 1.
std::size_t byte_of(std::string_view line, int n) {
    std::size_t at = 0;
    for (int k = 1; k < n && at < line.size(); ++k)
        do ++at;
        while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80);
    return at;
}

}  // namespace

BudgetEdit::BudgetEdit(const std::string& content) : root_(parse_toml(content, "").root) {
    for (const auto line : split(content, '\n')) lines_.emplace_back(line);
    below_.resize(lines_.size());
    gone_.resize(lines_.size());
}

const TomlValue* BudgetEdit::value_of(int entry, std::string_view key) const {
    const auto* limits = root_.find("limit");
    if (!limits) return nullptr;
    for (const auto& t : limits->array) {
        if (t.line != entry) continue;
        const auto* v = t.find(key);
        return v && v->line >= 1 && v->line <= static_cast<int>(lines_.size()) ? v : nullptr;
    }
    return nullptr;
}

void BudgetEdit::set(int entry, std::string_view key, std::string_view value) {
    const auto* v = value_of(entry, key);
    if (!v || v->end_column <= v->column) return;
    for (auto& c : changes_)
        if (c.line == v->line && c.column == v->column) return void(c.with = value);
    changes_.push_back({v->line, v->column, v->end_column, std::string(value)});
}

void BudgetEdit::set_text(int entry, std::string_view key, std::string_view text, std::string_view after) {
    if (const auto* v = value_of(entry, key)) {
        if (!text.empty()) return set(entry, key, toml_quoted(text));
        gone_[static_cast<std::size_t>(v->line - 1)] = true;
        return;
    }
    const auto* place = value_of(entry, after);
    if (text.empty() || !place) return;
    auto& below = below_[static_cast<std::size_t>(place->line - 1)];
    const auto fresh = fmt::format("{} = {}", key, toml_quoted(text));
    for (auto& line : below)
        if (line.starts_with(fmt::format("{} =", key))) return void(line = fresh);
    below.push_back(fresh);
}

std::string BudgetEdit::text() const {
    auto lines = lines_;
    auto changes = changes_;
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.column > b.column; });
    for (const auto& c : changes) {
        auto& line = lines[static_cast<std::size_t>(c.line - 1)];
        const auto from = byte_of(line, c.column), to = byte_of(line, c.end_column);
        line = line.substr(0, from) + c.with + line.substr(to);
    }
    std::string out;
    bool first = true;
    const auto add = [&](const std::string& line) {
        if (!first) out += '\n';
        first = false;
        out += line;
    };
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (!gone_[k]) add(lines[k]);
        for (const auto& line : below_[k]) add(line);
    }
    return out;
}

}  // namespace ulpgate
