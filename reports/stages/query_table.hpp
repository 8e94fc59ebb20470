// The error of the query path by stage: mla_query and head.
#pragma once
#include <string>
#include <vector>

#include "reports/stages/predict.hpp"
#include "reports/stages/table.hpp"

namespace ulpgate {

struct QueryRan {
    Case c;
    const Tensors* tensors;
    const Outcome* outcome;
};

// Why there is no table: "" where there is one. Stages are those of the restatement that gives the outputs bit for bit: the sums of both
// projections and of the norm in every order that is known, both roots, with and without FMA in the norm. Where none does, and the case
// has taps, each projection and the norm are one line.
std::string query_stage_table(const Contract&, const std::vector<QueryRan>&, StageTable&);

}  // namespace ulpgate
