// Many judged cases as one group.
#pragma once
#include <string>

#include "properties/cases/case.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

struct Judged {  // one case
    const Case& c;
    std::uint64_t hash;
    const Judgement& j;
};

// Counts, measures, sight, candidates, findings. The first failure of each verdict is left to the caller.
void merge(Group&, const Judged&);

// After the last case: the inferred contract where nothing was claimed, the group's verdict, and what is worth a line.
void conclude(Group&);

// The case as a line with its input hash and the row that is shown.
std::string line_of(Case c, std::uint64_t hash, std::int64_t row);

}  // namespace ulpgate
