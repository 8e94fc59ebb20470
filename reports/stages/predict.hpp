// Which restatement gives a subject's outputs bit for bit: named ones first (reference/restated), then every order with its usual
// parameters, with and without FMA, both means, both rsqrt forms.
#pragma once
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reference/model/model.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

struct OutputsOf {  // a case and what the subject gave for it
    const Tensors* tensors;
    const Outcome* outcome;
};

struct Prediction {
    bool found = false;
    Model model;
    std::string text;  // the model's
    std::string how;   // "equal bit for bit in 96 of 96 rows, the first of 214 models to be"
};

// Holds one model against every case.
bool predicts(const Model&, const std::vector<OutputsOf>&);
// subject: its text, for a restatement of that name. contract: of one association.
Prediction predict(const std::string& subject, const Contract& contract, const std::vector<OutputsOf>&);

}  // namespace ulpgate
