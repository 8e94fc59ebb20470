// The models that a subject's text stands for:
//
//   [model/]TEXT                       a model, as parse() in reference/model/model.hpp reads it
//   [faulty/]KIND[:PARAM][+...][,MODEL]  MODEL with these faults, each of another stage; MODEL left out: the first
//                                      one's usual
//
// A text without a TYPE stands for bf16, fp16 and f32, less those in which the fault can change nothing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/model.hpp"

namespace ulpgate {

struct SubjectModels {
    std::vector<Model> models;  // one a type; each keeps the contract that it would claim without its fault
    std::string left_out;       // "" or the types without a model, and why
};

// The error's place is one in `text`. A fault that can change nothing in any type asked for is no error:
// models is empty.
std::optional<ParseError> parse_subject(std::string_view text, SubjectModels& out);

}  // namespace ulpgate
