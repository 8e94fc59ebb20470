// A run for people: the table, what a pass excludes, each failure with its witness and the command that replays it.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "reports/console/style.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

std::string context_text(const Context&, const Style&);   // where and with what: stderr
std::string result_text(const Result&, const Style&);     // everything that goes to stdout

// A row of the table: a group, or passing groups of one subject, op and type with the worst of each column.
struct TableLine {
    Group g;
    std::size_t claims = 1;  // how many groups stand in it
    std::vector<std::string> cells;
};
inline constexpr std::array<std::string_view, 9> table_heads{"op", "type", "d", "rows", "claim", "worst ulp", "r ulp32", "outside", "verdict"};
inline constexpr std::array<bool, 9> table_left{true, true, false, false, true, false, false, false, true};
std::vector<TableLine> table_lines(const Result&);

// The parts of what goes to stdout.
std::string table_text(const Result&, const Style&);
std::string sight_text(const Result&, const Style&);
std::string failure_text(const Result&, const Group&, const Style&);
std::string totals_text(const Result&, const Style&);

std::string formula(const Contract&);  // "T(w·T(x·r))"

}  // namespace ulpgate
