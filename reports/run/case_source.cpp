#include "reports/run/case_source.hpp"

#include <algorithm>

#include "properties/cases/activations.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate {
namespace {

void add_activations(const Op& op, const Claim& claim, const CaseFilter& f, CaseSet& set) {
    const bool given = !f.activations.empty();
    const auto real = activation_cases(given ? f.activations : std::string(bundled_activations), op.name, claim);
    if (!real.error.empty()) {
        set.error = real.error;
        return;
    }
    for (const auto& c : real.cases) {
        if (!f.d.empty() && std::find(f.d.begin(), f.d.end(), c.d) == f.d.end()) continue;
        set.default_rows += c.batch * c.tokens;
        set.cases.push_back(c);
    }
}

}  // namespace

CaseSet cases_for(const Op& op, const Claim& claim, const CaseFilter& f) {
    CaseSet set;
    const auto wanted = [&](std::string_view p) { return f.profiles.empty() || std::find(f.profiles.begin(), f.profiles.end(), p) != f.profiles.end(); };
    if (wanted("activations")) add_activations(op, claim, f, set);
    return set;
}

}  // namespace ulpgate
