// Flags of gate as a request: what to run, read and checked before anything runs.
#pragma once
#include "reports/cli/verb.hpp"
#include "reports/run/plan.hpp"

namespace ulpgate::cli {

inline constexpr std::uint64_t default_seed = 7;

unsigned machine_cores();
CaseFilter case_filter(const Arguments&);
RunRequest gate_request(const Arguments&);
SubjectOptions subject_options(const Arguments&);
// A UsageError where a model/ or faulty/ text stands for no model. Other subjects tell when they are loaded.
void check_subject(const std::string& text);
// The subject itself, or the description that --launch gives for PTX.
std::string launched(const Arguments&, const std::string& subject);
// One of `allowed` or a UsageError with what was meant.
std::string one_of(const Arguments&, std::string_view flag, const std::vector<std::string>& allowed);

}  // namespace ulpgate::cli
