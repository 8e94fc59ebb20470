// Two budgets of one subject as one: what two branches agreed to.
#pragma once
#include "reports/budget/budget.hpp"

namespace ulpgate {

struct MergedBudget {
    std::string error;  // "" or why they are no one budget, with both places
    Budget budget;
    std::vector<std::string> notes;  // what one file has alone, and which limit won
};
// Each quantity of each key takes the smaller limit, on the grid, with the why, count and witness of its file. A finding
// known in both keeps the earlier day; known in one it is kept, and said; two findings for one key are an error.
MergedBudget merge_budgets(const std::vector<Budget>&);

}  // namespace ulpgate
