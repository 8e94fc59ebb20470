#include "reports/table/maxima.hpp"

#include <fmt/format.h>

namespace ulpgate {

Maximum maximum_of(const WorstRow& w) {
    return {w.subject, w.witness.op, w.witness.claim[0].x, w.witness.d, "r_ulp32", w.r_ulp32, w.count, 0, print(w.witness)};
}

std::vector<Maximum> maxima_of(const fuzzing::ExhaustiveRun& r) {
    std::vector<Maximum> out;
    for (std::size_t entry = 0; entry < r.contracts.size(); ++entry) {
        const fuzzing::Unit* worst = nullptr;
        std::int64_t words = 0, inadmissible = 0;
        for (const auto& u : r.done) {
            if (u.entry != entry) continue;
            words += u.words, inadmissible += u.inadmissible;
            if (!worst || u.worst_ulp > worst->worst_ulp) worst = &u;
        }
        Case c;
        if (!worst || parse(fuzzing::line_of(r, *worst, worst->worst), c)) continue;
        out.push_back({r.subject, c.op, c.claim[0].x, c.d, "ulp", worst->worst_ulp, fmt::format("{} {}", r.complete() ? "exhaustive" : "searched", words), inadmissible, print(c)});
    }
    return out;
}

}  // namespace ulpgate
