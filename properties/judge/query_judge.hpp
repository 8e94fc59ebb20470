// mla_query and head: each output against what the claim allows. With taps every stage is judged on its own input (the
// subject's own outputs of the stage before), the norm by one r a row; without them from h to q, and where the sets are then
// too wide to tell anything the verdict is `mistrusted`.
#pragma once
#include <string>
#include <vector>

#include "properties/judge/judge.hpp"
#include "reference/query/path.hpp"

namespace ulpgate {

struct QueryFailure {  // the first output that is not allowed
    std::string stage;     // "q_a", "norm", "q_b", "split", "q", "logits"
    std::int64_t token = -1, index = -1;  // index: of the stage's outputs of this token
    std::string text;      // "token 1 q_nope head 0 col 3   allowed 3f80..3f81   got 3f90"
};

struct QueryCheck {
    bool fits = true;
    QueryFailure failure;
    std::vector<QueryStage> stages;
    Measure measure;  // of projections, in ulps of the output's type or, where terms cancel, of f32 at the sum of their sizes
    QueryShares shares;  // with taps
    std::string error;  // an output of the wrong size
};

// Outputs against a model: the claim's, or one with a fault.
QueryCheck check_query(const Tensors&, const Outcome&, const QueryModel&);

Judgement judge_query(const Tensors&, const Outcome&, const Claim&);

}  // namespace ulpgate
