#include "reports/run/names.hpp"

#include <fmt/format.h>

#include "properties/explain/explain.hpp"
#include "properties/explain_query/explain_query.hpp"

namespace ulpgate {
namespace {

constexpr std::int64_t rows_looked_at = 16;  // of each failing case

std::string fix_for(const Contract& found, const Contract& claimed, Type type) {
    if (found.map == Map::f32_gain && claimed.map == Map::cast_first)
        return fmt::format("round n to {} before the gain, or claim {}", name(type), print(found, false));
    if (found.map == Map::cast_first && claimed.map == Map::f32_gain)
        return fmt::format("keep n in float32 until the gain is in, or claim {}", print(found, false));
    return fmt::format("claim {} if that is what it should compute", print(found, false));
}

}  // namespace

void name_failure(Group& g, const std::vector<FailingCase>& failing) {
    if (failing.empty()) return;
    if (failing[0].tensors.op->abi != Abi::rmsnorm) {
        std::vector<QueryCase> cases;
        for (const auto& f : failing) cases.push_back({&f.tensors, &f.outcome});
        const auto e = explain_query(cases, g.claim.at(0));
        for (const auto& n : e.equal) {
            g.names.push_back(n.kind);
            g.explained.push_back(n.text);
            if (g.fix.empty()) g.fix = n.fix;
        }
        g.unknown = e.unknown;
        return;
    }
    if (!claims_nothing(g.claim))
        if (const auto c = computes(g); !c.empty()) {
            g.fix = fix_for(c[0], g.claim[0], g.type);
            return;
        }
    std::vector<FailedCase> cases;
    for (const auto& f : failing) cases.push_back({&f.tensors, &f.outcome, f.row});
    const auto e = explain(cases, g.claim, rows_looked_at);
    for (const auto& n : e.equal) {
        g.names.push_back(n.kind);
        g.explained.push_back(n.text());
        if (g.fix.empty()) g.fix = n.fix;
    }
    g.unknown = e.unknown;
    for (const auto& x : e.excluded) g.excluded.push_back({x.kind, x.row, x.col, x.why});
}

}  // namespace ulpgate
