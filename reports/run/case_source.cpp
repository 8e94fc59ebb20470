#include "reports/run/case_source.hpp"

#include <algorithm>

#include "properties/cases/activations.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate {
namespace {

template <class T>
bool wanted(const std::vector<T>& filter, const T& v) {
    return filter.empty() || std::find(filter.begin(), filter.end(), v) != filter.end();
}

std::int64_t limited(std::int64_t rows, const CaseFilter& f) {
    if (f.rows) rows = std::min(rows, f.rows);
    return f.quick ? std::min(rows, std::max<std::int64_t>(rows / 8, 4)) : rows;
}

void add_generated(const Op& op, const Claim& claim, const CaseFilter& f, CaseSet& set) {
    Sizes n;
    op.defaults(n);
    const auto widths = f.d.empty() ? std::vector<std::int64_t>{n[op.d]} : f.d;
    for (const Profile* p : profiles::all()) {
        if (!wanted(f.profiles, std::string(p->name)) || (p->probe && !f.probes)) continue;
        for (auto d : widths) {
            Case c;
            c.op = op.name;
            c.claim = claim;
            c.d = d;
            c.profile = p->name;
            c.seed = f.seed;
            c.ld = d == n[op.d] ? op.ld : 0;
            set.default_rows += p->rows(d);
            c.tokens = limited(p->rows(d), f);
            set.cases.push_back(std::move(c));
        }
    }
}

void add_activations(const Op& op, const Claim& claim, const CaseFilter& f, CaseSet& set) {
    const bool given = !f.activations.empty();
    const auto real = activation_cases(given ? f.activations : std::string(bundled_activations), op.name, claim);
    if (!real.error.empty()) {
        if (given) set.error = real.error;
        return;
    }
    for (auto c : real.cases) {
        if (!wanted(f.d, c.d)) continue;
        set.default_rows += c.batch * c.tokens;
        set.cases.push_back(std::move(c));
    }
}

}  // namespace

CaseSet cases_for(const Op& op, const Claim& claim, const CaseFilter& f) {
    CaseSet set;
    add_generated(op, claim, f, set);
    if (wanted(f.profiles, std::string("activations"))) add_activations(op, claim, f, set);
    return set;
}

}  // namespace ulpgate
