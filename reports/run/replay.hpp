// One case on one subject, in a fresh process, with everything kept to look at.
#pragma once
#include "reports/run/plan.hpp"

namespace ulpgate {

struct Replayed {
    enum class How { judged, bad_case, other_tensors, no_entry, not_loaded, unavailable };
    How how = How::judged;
    std::string what;  // unless judged
    Made made;
    std::uint64_t hash = 0;
    Outcome outcome;
    Judgement judgement;
    Result result;  // one group
};
Replayed replay(const std::string& subject, const Case&, const SubjectOptions&);

}  // namespace ulpgate
