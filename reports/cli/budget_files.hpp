// --budget FILE and --update-budget: the files of a run.
#pragma once
#include "reports/budget/update.hpp"
#include "reports/cli/verb.hpp"

namespace ulpgate::cli {

inline constexpr Flag budget_flag{"budget", Takes::several, "FILE", "limits in ulps and known findings (TOML, ulpgate.budget/1)"};
inline constexpr Flag update_budget_flag{"update-budget", Takes::nothing, "", "lower the limits of --budget to what a search, all words or a proof allow"};
inline constexpr Flag allow_loosen_flag{"allow-loosen", Takes::nothing, "", "with --update-budget: raise limits that were passed, too"};

// Reads them all, or a UsageError; so is --update-budget without --budget.
std::vector<Budget> read_budgets(const Arguments&);
// With --update-budget: writes the files anew, each change a note of the run, and reads them again. Nothing is written of a
// run that was interrupted.
void update_budgets(const Arguments&, std::vector<Budget>&, Result&);
// The same for numbers that come from elsewhere: a search. Each line in words goes to `say`.
void update_budget_file(const std::string& path, const std::vector<BudgetNumber>&, bool allow_loosen, std::vector<std::string>& say);

}  // namespace ulpgate::cli
