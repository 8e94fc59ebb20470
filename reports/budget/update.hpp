// A budget follows what was found, one way: a limit goes down by itself, and up only where that is asked for.
#pragma once
#include "reports/budget/budget.hpp"

namespace ulpgate {

struct BudgetNumber {  // what is known of one quantity of one limit
    BudgetKey key;
    std::string quantity;  // "r_ulp32" or "ulp"
    double value = 0;
    std::string count;     // "exhaustive", "searched N", "proven", "sampled N"
    std::string witness;   // the case that reaches it; "" of a proof
};
// Whether a number like this may lower a limit: a sample may not, there are other rows.
bool lowers(std::string_view count);

// What a run says of each limit of the budget: the worst of its rows, sampled, and the contract's proven bound. Nothing of
// groups that failed, and of limits that no row was held to.
std::vector<BudgetNumber> numbers_of(const Budget&, const Result&);

struct BudgetUpdate {
    std::string error;               // "" or why the file cannot be changed: nothing is
    std::string content;             // the file's new text: comments and order are kept
    std::vector<std::string> lines;  // each change and each refusal, in words
    bool changed = false;
};
// content: the text that `budget` was read from. A limit becomes the largest number found, rounded up to the grid, where one
// of those may lower it or a proof is smaller still; it rises only with allow_loosen. count and witness follow.
BudgetUpdate update_budget(const std::string& content, const Budget&, const std::vector<BudgetNumber>&, bool allow_loosen);

}  // namespace ulpgate
