#include <fmt/format.h>
#include <unistd.h>

#include "reports/cli/gate_request.hpp"
#include "reports/cli/outputs.hpp"
#include "reports/console/console.hpp"
#include "reports/eps/table.hpp"
#include "reports/run/context.hpp"

namespace ulpgate::cli {
namespace {

int eps_run(const Arguments& a) {
    const Outputs outputs(a);
    EpsRequest e;
    e.filter = case_filter(a);
    e.ops = e.filter.ops;
    e.types = e.filter.types;
    e.config_eps = a.number("config-eps", 0, 0, 1);
    if (e.filter.profiles.empty()) e.filter.profiles = {"activations"};
    RunRequest request;
    if (!a.operands.empty()) request = gate_request(a);
    Result r;
    r.context = machine_context();
    r.context.seed = e.filter.seed;
    self_check(r.context, request.self_check, e.filter.seed);
    fmt::print(stderr, "{}", context_text(r.context, style_for("auto", STDERR_FILENO)));
    auto made = eps_tables(e);
    if (!made.error.empty()) throw UsageError(made.error);
    r.eps = std::move(made.tables);
    if (!a.operands.empty())
        if (const auto why = recover_eps(request, r, r.eps); !why.empty()) throw UsageError(why);
    for (const auto& t : r.eps) fmt::print(outputs.people(), "{}", eps_text(t));
    for (const auto& n : r.not_loaded) fmt::print(outputs.people(), "{}: DID NOT LOAD: {}\n", n.subject, n.reason);
    for (const auto& k : r.skipped) fmt::print(outputs.people(), "{}: SKIPPED: {}\n", k.subject, k.reason);
    r.exit = r.context.self_check_failed ? 3 : !r.not_loaded.empty() ? 4 : r.eps.empty() ? 5 : 0;
    outputs.write(r);
    return r.exit;
}

constexpr Flag flags[] = {
    {"op", Takes::list, "OP", "only these ops"},
    {"type", Takes::list, "TYPE", "only these types of x: bf16, fp16, f32"},
    {"d", Takes::list, "D", "these widths instead of the op's own"},
    {"contract", Takes::several, "TEXT", "take a subject's outputs as this contract's instead of its own claim's"},
    {"profile", Takes::list, "NAME", "rows of these input profiles instead of activations"},
    {"seed", Takes::one, "N", "of the generated inputs (default 7)"},
    {"rows", Takes::one, "N", "at most so many rows a case"},
    {"activations", Takes::one, "FILE", "rows and gains from safetensors instead of the bundled ones: a table a norm"},
    {"config-eps", Takes::one, "EPS", "rms_norm_eps of the model's config: warns where it would not reach a norm"},
    {"quick", Takes::nothing, "", "a part of the rows"},
    json_flag,
    html_flag,
    timeout_flag,
    child_env_flag,
};

}  // namespace

PIECE(Verb, report_eps) = {"report eps", "[SUBJECT...]", "what eps does to given rows, and which eps a kernel's outputs show",
    "For each norm: how large its rows are, eps / (v + eps), and for another eps the rms below which all outputs move by an ulp, some\n"
    "do, or about one a row; how many rows lie there; and how many outputs of the correctly rounded specification change. With a\n"
    "SUBJECT also the interval of eps that its own outputs allow, whatever its order.",
    flags, 0, any_number, eps_run};

}  // namespace ulpgate::cli
