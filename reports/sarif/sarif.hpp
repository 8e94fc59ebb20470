// A run as SARIF 2.1.0: a result a failure, with a fingerprint that stays the same while subject, op, type, claim and finding
// do. A limit that is over, and a known finding that changed, point at their line of the budget file; other failures at the
// subject where it is a file, else by name alone.
// Format: OASIS Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
#pragma once
#include <string>

#include "reports/result/result.hpp"

namespace ulpgate {

std::string to_sarif(const Result&);

}  // namespace ulpgate
