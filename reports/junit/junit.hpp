// A run as JUnit XML: a suite a subject, a test a row of the table. Failures are `failure`, crashes and what did not load are
// `error`; skipped, refused, unsupported, mistrusted and known findings are `skipped` with their reason. Pairs of classname and
// name are unique.
#pragma once
#include <string>

#include "reports/result/result.hpp"

namespace ulpgate {

std::string to_junit(const Result&);

}  // namespace ulpgate
