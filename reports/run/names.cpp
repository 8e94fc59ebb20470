#include "reports/run/names.hpp"

#include <fmt/format.h>

#include <algorithm>

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

// Rows can be laid out for it: no tensors beside x, residual and gain, no quantised output.
bool can_be_probed(const Claim& claim) {
    return std::all_of(claim.begin(), claim.end(), [](const Contract& c) { return c.quant == Quant::none && c.beta == Given::none; });
}

void add_names(Group& g, const std::vector<Named>& names) {
    for (const auto& n : names) {
        if (std::find(g.names.begin(), g.names.end(), n.kind) == g.names.end()) g.names.push_back(n.kind);
        if (g.fix.empty()) g.fix = n.fix;
    }
}

// Each finding is one arithmetic, with one changed line or with two.
void tell(Group& g, const Explanation& e) {
    for (const Finding& f : e.findings) {
        if (e.as_claimed) break;
        add_names(g, f.lines);
        std::string text;
        for (const Named& n : f.lines) text += (text.empty() ? "" : "; and ") + n.text();
        const bool claimed = std::any_of(g.claim.begin(), g.claim.end(), [&](const Contract& c) { return c.map == f.computes.map && c.by == f.computes.by; });
        if (!claimed || text.empty()) text = print(f.computes, false) + (text.empty() ? "" : "; " + text);
        g.explained.push_back(std::move(text));
    }
    if (e.findings.empty())
        for (const Named& n : e.equal) g.explained.push_back(n.text());
    if (!e.as_claimed) add_names(g, e.equal);
    g.unknown = e.unknown;
    if (e.smallest) {
        g.smallest = SmallestRow{e.smallest->text(g.claim[0]), static_cast<std::int64_t>(e.smallest->x.size()), e.smallest->line};
        g.unknown += "; smallest failing row: " + g.smallest->text;
    }
    if (!e.broken.empty()) g.unknown += fmt::format("; it breaks {}", fmt::join(e.broken, "; "));
    for (const auto& x : e.excluded) g.excluded.push_back({x.kind, x.row, x.col, x.why});
}

}  // namespace

void name_failure(Group& g, const std::vector<FailingCase>& failing, const KernelCall& call) {
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
    const Tensors& first = failing[0].tensors;
    Explanation e;
    const bool probed = call && can_be_probed(g.claim);
    if (probed) e = diagnose(call, *first.op, g.claim, first.sizes[first.op->d], cases, rows_looked_at);
    if (!probed || e.stopped) e = explain(cases, g.claim, rows_looked_at);
    tell(g, e);
}

}  // namespace ulpgate
