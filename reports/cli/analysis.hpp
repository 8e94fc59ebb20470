// What `report budget` and `report eps` share: an analysis of a subject's outputs that is shown and written like a run.
#pragma once
#include <functional>
#include <string>

#include "reports/cli/outputs.hpp"
#include "reports/run/plan.hpp"

namespace ulpgate::cli {

// work: fills the result and returns its text for people; a UsageError is what the user can put right. Exit: 3 where the oracle's
// self-check fails, 4 where a subject did not load, 5 where there is nothing to show.
int analyse(const Arguments&, const RunRequest&, const std::function<std::string(Result&)>& work);

}  // namespace ulpgate::cli
