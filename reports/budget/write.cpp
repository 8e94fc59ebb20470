#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "reports/budget/budget.hpp"
#include "reference/toml/document.hpp"

namespace ulpgate {
namespace {

void add(std::string& s, std::string_view key, std::string_view value) {
    if (!value.empty()) s += fmt::format("{} = {}\n", key, toml_quoted(value));
}

void add(std::string& s, const BudgetKey& k) {
    s += fmt::format("case = \"{}/{}/{}\"\n", k.op, name(k.type), k.d);
    add(s, "contract", k.contract);
    add(s, "target", k.target);
    add(s, "profile", k.profile);
}

auto order(const BudgetKey& k) { return std::tie(k.op, k.type, k.d, k.contract, k.target, k.profile); }

template <class Entries>
Entries sorted(Entries e) {
    std::stable_sort(e.begin(), e.end(), [](const auto& a, const auto& b) { return order(a.key) < order(b.key); });
    return e;
}

}  // namespace

double grid_up(double v) { return std::ceil(v * 16) / 16; }

std::string write_budget(const Budget& b) {
    std::string s = fmt::format("schema = \"ulpgate.budget/1\"\nsubject = {}\n", toml_quoted(b.subject));
    for (const auto& l : sorted(b.limits)) {
        s += "\n[[limit]]\n";
        add(s, l.key);
        if (l.r_ulp32) s += fmt::format("r_ulp32 = {}\n", *l.r_ulp32);
        if (l.ulp) s += fmt::format("ulp = {}\n", *l.ulp);
        add(s, "count", l.count);
        add(s, "why", l.why);
        add(s, "witness", l.witness);
    }
    for (const auto& k : sorted(b.known)) {
        s += "\n[[known]]\n";
        add(s, k.key);
        add(s, "finding", k.finding);
        add(s, "why", k.why);
        s += fmt::format("until = {}\n", k.until);
    }
    return s;
}

}  // namespace ulpgate
