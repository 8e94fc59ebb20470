// Two runs as one: shards of one campaign, or runs of different machines. Groups of the same subject, op, type and claim become
// one: counts add up, the worse number and its case stay, a contract explains the whole only if it explains every part.
#pragma once
#include "reports/result/result.hpp"

namespace ulpgate {

// Adds `more` to `run`; exit and verdicts are those of the whole. Machines that differ are noted.
void merge_runs(Result& run, const Result& more);

}  // namespace ulpgate
