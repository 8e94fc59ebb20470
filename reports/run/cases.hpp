// The cases of a group on its subject, with everything kept: what an analysis of the outputs starts from.
#pragma once
#include <string>
#include <vector>

#include "reports/run/plan.hpp"

namespace ulpgate {

struct Ran {
    Case c;
    Made made;
    Outcome outcome;
};
// Those that ran, in the plan's order. Empty and refused ones are left out; what failed is a note.
std::vector<Ran> run_cases(const GroupPlan&, const SubjectOptions&, std::vector<std::string>& notes);

}  // namespace ulpgate
