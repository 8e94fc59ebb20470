// One row of the table: the cases of one claim on one op and type, in one child process.
#pragma once
#include "reports/run/runner.hpp"

namespace ulpgate {

Group run_group(const GroupPlan&, const SubjectOptions&, Watcher&);

}  // namespace ulpgate
