// The error of a subject by stage, from its own outputs: those of the restatement that gives them bit for bit; where none does,
// the row's stages are one line, r as far as the outputs pin it.
#pragma once
#include <string>
#include <vector>

#include "reports/run/plan.hpp"
#include "reports/stages/predict.hpp"

namespace ulpgate {

// One table an op, type and width of the plan's groups; model: a restatement to hold instead of searching for one. error: what
// the user can put right.
struct StageTables {
    std::vector<StageTable> tables;
    std::string error;
};
StageTables stage_tables(const RunRequest&, const std::string& model, Result&);

// For a terminal.
std::string stages_text(const StageTable&);

}  // namespace ulpgate
