#include "reports/budget/update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/budget/edit.hpp"

namespace ulpgate {
namespace {

constexpr std::string_view quantities[] = {"r_ulp32", "ulp"};

std::optional<double> BudgetLimit::*member(std::string_view quantity) {
    return quantity == "ulp" ? &BudgetLimit::ulp : &BudgetLimit::r_ulp32;
}

struct Decision {
    std::optional<double> limit;  // the new one
    std::string count, witness, line;
};

// What one quantity of one limit becomes.
Decision decide(const std::string& where, std::string_view quantity, double limit, const std::vector<const BudgetNumber*>& numbers, bool allow_loosen) {
    const BudgetNumber *worst = nullptr, *found = nullptr, *proof = nullptr;
    for (const auto* n : numbers) {
        if (n->count == "proven") {
            if (!proof || n->value > proof->value) proof = n;
            continue;
        }
        if (!worst || worse(n->value, worst->value)) worst = n;
        if (lowers(n->count) && (!found || n->value > found->value)) found = n;
    }
    const auto to = [&](const BudgetNumber& n, double v, const char* verb) {
        return Decision{v, n.count, n.witness, fmt::format("{}: {} {} from {} to {}: {}", where, quantity, verb, limit, v, n.count)};
    };
    if (worst && worse(worst->value, limit)) {
        const double up = grid_up(worst->value);
        if (!std::isfinite(up)) return {{}, "", "", fmt::format("{}: {} is {} on {}: no limit holds it", where, quantity, worst->value, worst->witness)};
        if (!allow_loosen) return {{}, "", "", fmt::format("{}: {} stays {}, {:.4g} is above it: repair the kernel, or --allow-loosen", where, quantity, limit, worst->value)};
        return to(*worst, up, "raised");
    }
    if (found && worst && grid_up(worst->value) < limit) {
        auto d = to(*worst, grid_up(worst->value), "lowered");
        d.count = found->count;
        d.line = fmt::format("{}: {} lowered from {} to {}: {}", where, quantity, limit, *d.limit, found->count);
        return d;
    }
    if (proof && grid_up(proof->value) < limit) return to(*proof, grid_up(proof->value), "lowered");
    if (worst && !found && grid_up(worst->value) < limit)
        return {{}, "", "", fmt::format("{}: {} stays {}: {} reached {:.4g}, and only a search, all words or a proof lowers a limit", where, quantity, limit, worst->count, worst->value)};
    return {};
}

}  // namespace

bool lowers(std::string_view count) { return count == "proven" || count.starts_with("exhaustive") || count.starts_with("searched"); }

std::vector<BudgetNumber> numbers_of(const Budget& b, const Result& result) {
    Result r = result;
    for (auto& g : r.groups) g.limits.clear();
    apply(b, r);
    std::vector<BudgetNumber> out;
    for (const auto& l : b.limits)
        for (const auto& g : r.groups) {
            if (g.subject != b.subject || (g.verdict != Verdict::pass && g.verdict != Verdict::over)) continue;
            for (const auto& held : g.limits) {
                if (held.where != fmt::format("{}:{}", b.path, l.line)) continue;
                out.push_back({l.key, held.quantity, held.measured, fmt::format("sampled {}", held.rows), held.line});
                if (std::isfinite(held.bound)) out.push_back({l.key, held.quantity, held.bound, "proven", ""});
            }
        }
    return out;
}

BudgetUpdate update_budget(const std::string& content, const Budget& b, const std::vector<BudgetNumber>& numbers, bool allow_loosen) {
    BudgetUpdate out;
    Budget wanted = b;
    BudgetEdit edit(content);
    for (auto& l : wanted.limits) {
        for (const auto quantity : quantities) {
            auto& limit = l.*member(quantity);
            if (!limit) continue;
            std::vector<const BudgetNumber*> mine;
            for (const auto& n : numbers)
                if (n.key == l.key && n.quantity == quantity) mine.push_back(&n);
            const auto d = decide(fmt::format("{}:{}", b.path, l.line), quantity, *limit, mine, allow_loosen);
            if (!d.line.empty()) out.lines.push_back(d.line);
            if (!d.limit) continue;
            limit = d.limit;
            l.count = d.count;
            l.witness = d.witness;
            edit.set(l.line, quantity, fmt::format("{}", *d.limit));
            edit.set_text(l.line, "count", d.count, quantity);
            edit.set_text(l.line, "witness", d.witness, "why");
            out.changed = true;
        }
    }
    out.content = edit.text();
    // The edit is by place: it counts only where the file reads back as what was meant.
    const auto back = parse_budget(out.content, b.path, "");
    if (!back.error.empty() || write_budget(back.budget) != write_budget(wanted)) {
        out.error = fmt::format("{}: its form is not one that can be edited in place; `ulpgate budget merge {}` writes it plainly", b.path, b.path);
        out.content = content;
        out.changed = false;
    }
    return out;
}

}  // namespace ulpgate
