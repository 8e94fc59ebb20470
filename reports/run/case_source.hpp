// The cases that a gate runs for one claim on one op: generated profiles, then real activations.
#pragma once
#include "reports/run/plan.hpp"

namespace ulpgate {

struct CaseSet {
    std::string error;
    std::vector<Case> cases;
    std::int64_t default_rows = 0;
};
CaseSet cases_for(const Op&, const Claim&, const CaseFilter&);

}  // namespace ulpgate
