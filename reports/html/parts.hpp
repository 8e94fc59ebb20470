// The parts of the page, each HTML of its own with every text from outside escaped.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reports/result/result.hpp"

namespace ulpgate::html {

std::string text(std::string_view);  // escaped
std::string code(std::string_view);
// rows[k] are escaped cells; right: columns of numbers.
std::string table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right);

std::string replay(std::string_view subject, std::string_view line, std::string_view summary);  // folded; "" without a line
std::string colour(const Group&);  // the class of its verdict: red, amber, green

std::string verdict_strip(const Result&);
std::string failures(const Result&);
std::string worst_outputs(const Result&);         // to the bit, each with its replay
std::string comparison(const Result&);            // several subjects: a row a subject, a column an op and type; what was sampled, searched, exhausted
std::string error_plots(const Result&);           // histogram of errors, error by the rows' rms: a pair a type
std::string stage_section(const StageTable&);
std::string eps_section(const EpsTable&);
std::string case_tables(const Result&);           // folded
std::string environment(const Result&);           // folded

}  // namespace ulpgate::html
