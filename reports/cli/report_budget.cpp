#include "reports/cli/analysis.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/stages/table.hpp"

namespace ulpgate::cli {
namespace {

int budget_run(const Arguments& a) {
    auto request = gate_request(a);
    // Of the norms and of the query path; each op takes those that are its own.
    if (request.filter.profiles.empty()) request.filter.profiles = a.has("activations") ? std::vector<std::string>{"activations"} : std::vector<std::string>{"gaussian", "outlier", "random"};
    return analyse(a, request, [&](Result& r) {
        auto made = stage_tables(request, a.text("model"), r);
        if (!made.error.empty()) throw UsageError(made.error);
        r.stages = std::move(made.tables);
        std::string s;
        for (const auto& t : r.stages) s += stages_text(t);
        return s;
    });
}

constexpr Flag flags[] = {
    {"op", Takes::list, "OP", "only these ops"},
    {"type", Takes::list, "TYPE", "only these types of x: bf16, fp16, f32"},
    {"d", Takes::list, "D", "these widths instead of the op's own"},
    {"contract", Takes::several, "TEXT", "take its outputs as this contract's instead of its own claim's"},
    {"model", Takes::one, "TEXT", "the restatement that gives its outputs (ulpgate list models) instead of searching for one"},
    {"profile", Takes::list, "NAME", "input profiles (default: gaussian, outlier and random, or the given activations)"},
    {"seed", Takes::one, "N", "of the generated inputs (default 7)"},
    {"rows", Takes::one, "N", "at most so many rows a case"},
    {"activations", Takes::one, "FILE", "rows and gains from safetensors instead of the bundled ones"},
    {"quick", Takes::nothing, "", "a part of the rows"},
    json_flag,
    html_flag,
    timeout_flag,
    child_env_flag,
};

}  // namespace

PIECE(Verb, report_budget) = {"report budget", "SUBJECT...", "which stage of a kernel its error comes from: sum, mean, eps, rsqrt, multiply, cast, gain; the query path's too",
    "The stages are those of the restatement that gives the subject's outputs bit for bit, and add up to its error exactly. Where none\n"
    "does, sum, mean, eps and rsqrt are one line. share: of the mean squared error; it may be negative, since stages compensate.\n"
    "allowed: what the contract lets one row or element contribute at most. ulp32: of r, in ulps of float32. Of the query path an ulp is\n"
    "that at the output or, where its terms cancel, at the root of the sum of their squares.",
    flags, 1, any_number, budget_run};

}  // namespace ulpgate::cli
