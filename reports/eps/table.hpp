// Eps tables of a request's cases: one a case, that is one a norm of an activations file.
#pragma once
#include <string>
#include <vector>

#include "properties/cases/case.hpp"
#include "reports/run/plan.hpp"

namespace ulpgate {

struct EpsRequest {
    std::vector<std::string> ops;     // empty: all norms
    std::vector<std::string> types;   // empty: bf16, fp16, f32
    CaseFilter filter;                // profiles, rows, seed, activations
    std::vector<double> others{0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};
    double config_eps = 0;            // 0: not given
};

struct EpsTables {
    std::vector<EpsTable> tables;
    std::string error;
};
EpsTables eps_tables(const EpsRequest&);

// Adds what a subject's own outputs show, on rows from far above eps to far below it, to the tables of its op and type; one more
// table where there is none. What did not load or run is in the result.
std::string recover_eps(const RunRequest&, Result&, std::vector<EpsTable>&);

// For a terminal.
std::string eps_text(const EpsTable&);

}  // namespace ulpgate
