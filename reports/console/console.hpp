// A run for people: the table, what a pass excludes, each failure with its witness and the command that replays it.
#pragma once
#include <string>

#include "reports/console/style.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

std::string context_text(const Context&, const Style&);   // where and with what: stderr
std::string result_text(const Result&, const Style&);     // everything that goes to stdout

// The parts of it.
std::string table_text(const Result&, const Style&);
std::string sight_text(const Result&, const Style&);
std::string failure_text(const Result&, const Group&, const Style&);
std::string totals_text(const Result&, const Style&);

std::string formula(const Contract&);  // "T(w·T(x·r))"

}  // namespace ulpgate
