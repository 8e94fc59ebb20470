// The largest errors of a search and of runs over every word, as part of a result: what the comparison page shows beside samples.
#pragma once
#include <vector>

#include "fuzz/exhaustive/exhaustive.hpp"
#include "reports/result/result.hpp"
#include "reports/table/worst.hpp"

namespace ulpgate {

Maximum maximum_of(const WorstRow&);
// One a contract: the largest of its gains. Where units are missing, their words were searched and no more.
std::vector<Maximum> maxima_of(const fuzzing::ExhaustiveRun&);

}  // namespace ulpgate
