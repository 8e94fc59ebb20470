#include "properties/cases/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reports/cli/gate_request.hpp"
#include "reports/run/case_source.hpp"

namespace ulpgate::cli {
namespace {

int export_run(const Arguments& a) {
    const auto& name = a.operands[0];
    const auto& dir = a.operands[1];
    const Op* op = find_op(name);
    if (!op) throw UsageError(fmt::format("no op '{}'{}; see ulpgate list ops", name, did_you_mean(name, names_of(ops::all()))));
    const CaseFilter filter = case_filter(a);
    std::vector<Case> cases;
    for (const Type t : {Type::bf16, Type::fp16, Type::f32}) {
        if (!filter.types.empty() && std::find(filter.types.begin(), filter.types.end(), ulpgate::name(t)) == filter.types.end()) continue;
        auto set = cases_for(*op, {default_contract(t)}, filter);
        if (!set.error.empty()) throw UsageError(set.error);
        cases.insert(cases.end(), std::make_move_iterator(set.cases.begin()), std::make_move_iterator(set.cases.end()));
    }
    if (cases.empty()) throw UsageError("no case is left by these flags");
    if (auto e = export_cases(dir, cases); !e.empty()) throw UsageError(e);
    fmt::print("{0}: {1} cases of {2}; write their outputs as manifest.json says, then: ulpgate gate files:{0}\n", dir, cases.size(), name);
    return 0;
}

constexpr Flag flags[] = {
    {"type", Takes::list, "TYPE", "only these types of x: bf16, fp16, f32"},
    {"d", Takes::list, "D", "these widths instead of the op's own"},
    {"profile", Takes::list, "NAME", "only these input profiles (ulpgate list profiles), or activations"},
    {"seed", Takes::one, "N", "of the generated inputs (default 7)"},
    {"rows", Takes::one, "N", "at most so many rows a case"},
    {"activations", Takes::one, "FILE", "rows and gains from safetensors instead of the bundled ones"},
    {"quick", Takes::nothing, "", "a part of the rows"},
    {"no-probes", Takes::nothing, "", "without the profiles that were built with the faults in mind"},
};

}  // namespace

PIECE(Verb, export_cases) = {"export", "OP DIR", "write cases as files for any language or machine to compute",
    "DIR/NNN.safetensors holds a case's inputs by name (x, w) with its eps (a hex float) in the metadata; DIR/manifest.json lists\n"
    "them and where the outputs belong: DIR/out/NNN.safetensors with y, contiguous, in the type of the case. Their metadata may\n"
    "say name, version and contract. Then `ulpgate gate files:DIR` judges them; without a contract it finds the one that fits.",
    flags, 2, 2, export_run};

}  // namespace ulpgate::cli
