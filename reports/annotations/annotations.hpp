// A run as workflow commands: lines that GitHub Actions turns into annotations on the pull request. They need no token, so
// pull requests from forks have them too. A limit that is over points at its line of the budget file.
#pragma once
#include <string>

#include "reports/result/result.hpp"

namespace ulpgate {

std::string to_github(const Result&);

// "budgets/x.toml:12" as file and line; line 0: none.
std::pair<std::string, int> place_of(const std::string& where);

}  // namespace ulpgate
