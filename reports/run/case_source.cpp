#include "reports/run/case_source.hpp"

#include <algorithm>
#include <numeric>

#include "properties/cases/activations.hpp"
#include "properties/cases/gate_cases.hpp"

namespace ulpgate {
namespace {

template <class T>
bool wanted(const std::vector<T>& filter, const T& v) {
    return filter.empty() || std::find(filter.begin(), filter.end(), v) != filter.end();
}

std::int64_t rows_of(const std::vector<Case>& cases) {
    return std::accumulate(cases.begin(), cases.end(), std::int64_t{0}, [](std::int64_t n, const Case& c) { return n + c.batch * c.tokens; });
}

void add_generated(const Op& op, const Claim& claim, const CaseFilter& f, CaseSet& set) {
    GateOptions options;
    for (const auto& p : f.profiles)
        if (p != "activations") options.profiles.push_back(p);
    if (options.profiles.empty() && !f.profiles.empty()) return;
    options.seed = f.seed;
    options.probes = f.probes;
    options.whole = f.whole;
    for (auto d : f.d.empty() ? std::vector<std::int64_t>{0} : f.d) {
        const auto whole = gate_cases(op, claim, d, options);
        set.default_rows += rows_of(whole);
        auto part = options;
        part.quick = f.quick;
        part.rows = f.rows;
        auto cases = gate_cases(op, claim, d, part);
        set.cases.insert(set.cases.end(), std::make_move_iterator(cases.begin()), std::make_move_iterator(cases.end()));
    }
}

void add_activations(const Op& op, const Claim& claim, const CaseFilter& f, CaseSet& set) {
    if (op.abi != Abi::rmsnorm) return;  // captured rows are those of norms
    const bool given = !f.activations.empty();
    const auto real = activation_cases(given ? f.activations : std::string(bundled_activations), op.name, claim);
    if (!real.error.empty()) {
        if (given) set.error = real.error;
        return;
    }
    for (const auto& c : real.cases)
        if (wanted(f.d, c.d)) set.cases.push_back(c);
    set.default_rows += rows_of(real.cases);
}

}  // namespace

CaseSet cases_for(const Op& op, const Claim& claim, const CaseFilter& f) {
    CaseSet set;
    add_generated(op, claim, f, set);
    if (wanted(f.profiles, std::string("activations"))) add_activations(op, claim, f, set);
    return set;
}

}  // namespace ulpgate
