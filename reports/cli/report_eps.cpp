#include "reports/cli/analysis.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/eps/table.hpp"

namespace ulpgate::cli {
namespace {

int eps_run(const Arguments& a) {
    EpsRequest e;
    e.filter = case_filter(a);
    e.ops = e.filter.ops;
    e.types = e.filter.types;
    e.config_eps = a.number("config-eps", 0, 0, 1);
    if (e.filter.profiles.empty()) e.filter.profiles = {"activations"};
    RunRequest request;
    if (!a.operands.empty()) request = gate_request(a);
    request.filter.seed = e.filter.seed;
    return analyse(a, request, [&](Result& r) {
        auto made = eps_tables(e);
        if (!made.error.empty()) throw UsageError(made.error);
        r.eps = std::move(made.tables);
        if (!a.operands.empty())
            if (const auto why = recover_eps(request, r, r.eps); !why.empty()) throw UsageError(why);
        std::string s;
        for (const auto& t : r.eps) s += eps_text(t);
        return s;
    });
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
