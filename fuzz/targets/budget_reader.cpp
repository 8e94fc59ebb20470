// Any text as a budget: an error that names the file and a line, or limits that mean something.
#include <cmath>

#include "fuzz/check/check.hpp"
#include "reports/budget/budget.hpp"

using namespace ulpgate;
using fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto r = parse_budget({reinterpret_cast<const char*>(data), size}, "b.toml", "2027-01-01");
    if (!r.error.empty()) {
        check(r.error.starts_with("b.toml"), "an error without its file: {}", r.error);
        return 0;
    }
    for (const auto& l : r.budget.limits) {
        check(l.r_ulp32 || l.ulp, "a limit of nothing");
        for (const auto& v : {l.r_ulp32, l.ulp}) check(!v || (std::isfinite(*v) && *v >= 0), "a limit of {}", *v);
        check(l.key.d >= 1 && l.key.type != Type::none && !l.why.empty() && l.line >= 1, "a limit without its key");
        ulp_bound(default_contract(l.key.type, Map::cast_first), l.key.d);
    }
    for (const auto& k : r.budget.known) check(k.until >= "2027-01-01" && !k.finding.empty(), "a known finding that has run out");
    return 0;
}
