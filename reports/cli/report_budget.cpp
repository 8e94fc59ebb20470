#include <fmt/format.h>
#include <unistd.h>

#include "reports/cli/gate_request.hpp"
#include "reports/cli/outputs.hpp"
#include "reports/console/console.hpp"
#include "reports/run/context.hpp"
#include "reports/stages/table.hpp"

namespace ulpgate::cli {
namespace {

int budget_run(const Arguments& a) {
    const Outputs outputs(a);
    auto request = gate_request(a);
    if (request.filter.profiles.empty()) request.filter.profiles = a.has("activations") ? std::vector<std::string>{"activations"} : std::vector<std::string>{"gaussian", "outlier"};
    Result r;
    r.context = machine_context();
    r.context.seed = request.filter.seed;
    self_check(r.context, request.self_check, request.filter.seed);
    fmt::print(stderr, "{}", context_text(r.context, style_for("auto", STDERR_FILENO)));
    auto made = stage_tables(request, a.text("model"), r);
    if (!made.error.empty()) throw UsageError(made.error);
    r.stages = std::move(made.tables);
    for (const auto& t : r.stages) fmt::print(outputs.people(), "{}", stages_text(t));
    for (const auto& n : r.not_loaded) fmt::print(outputs.people(), "{}: DID NOT LOAD: {}\n", n.subject, n.reason);
    for (const auto& k : r.skipped) fmt::print(outputs.people(), "{}: SKIPPED: {}\n", k.subject, k.reason);
    for (const auto& n : r.notes) fmt::print(outputs.people(), "note: {}\n", n);
    r.exit = r.context.self_check_failed ? 3 : !r.not_loaded.empty() ? 4 : r.stages.empty() ? 5 : 0;
    outputs.write(r);
    return r.exit;
}

constexpr Flag flags[] = {
    {"op", Takes::list, "OP", "only these ops"},
    {"type", Takes::list, "TYPE", "only these types of x: bf16, fp16, f32"},
    {"d", Takes::list, "D", "these widths instead of the op's own"},
    {"contract", Takes::several, "TEXT", "take its outputs as this contract's instead of its own claim's"},
    {"model", Takes::one, "TEXT", "the restatement that gives its outputs (ulpgate list models) instead of searching for one"},
    {"profile", Takes::list, "NAME", "input profiles (default: gaussian and outlier, or the given activations)"},
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

PIECE(Verb, report_budget) = {"report budget", "SUBJECT...", "which stage of a kernel its error comes from: sum, mean, eps, rsqrt, multiply, cast, gain",
    "The stages are those of the restatement that gives the subject's outputs bit for bit, and add up to its error exactly. Where none\n"
    "does, sum, mean, eps and rsqrt are one line. share: of the mean squared error; it may be negative, since stages compensate.\n"
    "allowed: what the contract lets one row or element contribute at most. ulp32: of r, in ulps of float32.",
    flags, 1, any_number, budget_run};

}  // namespace ulpgate::cli
