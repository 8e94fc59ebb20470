#include <fmt/format.h>

#include <cstdio>

#include "reference/base/file.hpp"
#include "reports/budget/merge.hpp"
#include "reports/cli/budget_files.hpp"

namespace ulpgate::cli {
namespace {

bool has_comment(const std::string& path) {
    std::string content;
    return read_file(path, content).empty() && content.find('#') != content.npos;
}

int merge_run(const Arguments& a) {
    const std::vector<std::string> paths(a.operands.begin() + 1, a.operands.end());
    if (paths.empty()) throw UsageError("budget merge: which budgets? ulpgate budget merge A.toml B.toml -o MERGED.toml");
    std::vector<Budget> budgets;
    for (const auto& path : paths) {
        auto read = read_budget(path, "");  // a finding whose day has passed is merged as it is
        if (!read.error.empty()) throw UsageError(read.error);
        budgets.push_back(std::move(read.budget));
    }
    const auto merged = merge_budgets(budgets);
    if (!merged.error.empty()) throw UsageError(merged.error);
    const auto text = write_budget(merged.budget);
    const auto out = a.text("o", "-");
    if (out == "-") {
        fmt::print("{}", text);
        if (std::fflush(stdout) != 0) throw UsageError("stdout: the budget could not be written");
    } else if (auto e = write_file(out, text); !e.empty()) {
        throw UsageError(e);
    }
    for (const auto& n : merged.notes) fmt::print(stderr, "{}\n", n);
    for (const auto& path : paths)
        if (has_comment(path)) fmt::print(stderr, "{}: its comments are not carried over; entries are sorted\n", path);
    return 0;
}

int budget_run(const Arguments& a) {
    if (a.operands[0] == "merge") return merge_run(a);
    throw UsageError(fmt::format("budget: no '{}'{}: ulpgate budget merge A.toml B.toml", a.operands[0], did_you_mean(a.operands[0], {"merge"})));
}

constexpr Flag flags[] = {{"o", Takes::one, "FILE", "where the merged budget goes (default -: stdout)"}};

}  // namespace

PIECE(Verb, budget) = {"budget", "merge FILE...", "several budgets of one subject as one: the smaller limit of each",
    "A limit that both have becomes the smaller, with its why, count and witness; findings known in both end on the earlier day.\n"
    "The result is sorted and on the grid of 1/16 ulp. A budget that is not readable, of a newer schema or of another subject: exit 2.",
    flags, 1, any_number, budget_run};

}  // namespace ulpgate::cli
