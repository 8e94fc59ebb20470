#include "reports/cli/budget_files.hpp"

#include <fmt/format.h>

#include "reference/base/file.hpp"

namespace ulpgate::cli {
namespace {

Budget read_one(const std::string& path) {
    auto read = read_budget(path, today());
    if (!read.error.empty()) throw UsageError(read.error);
    return std::move(read.budget);
}

}  // namespace

std::vector<Budget> read_budgets(const Arguments& a) {
    std::vector<Budget> out;
    for (const auto& path : a.list("budget")) out.push_back(read_one(path));
    if (a.has("update-budget") && out.empty())
        throw UsageError(fmt::format("{}: there is no budget to update: give --budget FILE", a.where("update-budget")));
    if (a.has("allow-loosen") && !a.has("update-budget"))
        throw UsageError(fmt::format("{}: it goes with --update-budget", a.where("allow-loosen")));
    return out;
}

void update_budget_file(const std::string& path, const std::vector<BudgetNumber>& numbers, bool allow_loosen, std::vector<std::string>& say) {
    std::string content;
    if (auto e = read_file(path, content); !e.empty()) throw UsageError(e);
    const auto read = parse_budget(content, path, today());
    if (!read.error.empty()) throw UsageError(read.error);
    const auto u = update_budget(content, read.budget, numbers, allow_loosen);
    if (!u.error.empty()) throw UsageError(u.error);
    if (u.changed)
        if (auto e = write_file(path, u.content); !e.empty()) throw UsageError(e);
    say.insert(say.end(), u.lines.begin(), u.lines.end());
    if (!u.changed) say.push_back(fmt::format("{}: nothing to change", path));
}

void update_budgets(const Arguments& a, std::vector<Budget>& budgets, Result& r) {
    if (!a.has("update-budget")) return;
    if (!r.complete) {
        r.notes.emplace_back("--update-budget: the run was interrupted, no budget is changed");
        return;
    }
    for (auto& b : budgets) {
        update_budget_file(b.path, numbers_of(b, r), a.has("allow-loosen"), r.notes);
        b = read_one(b.path);
    }
}

}  // namespace ulpgate::cli
