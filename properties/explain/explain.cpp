#include "properties/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/explain/hold.hpp"

namespace ulpgate {
namespace {

using namespace naming;

// Whether the model without a fault gives all rows.
bool gives_the_claim(Evidence& e, const Claim& claim) {
    for (const Contract& c : claim) {
        if (c.map == Map::none) continue;
        for (const Model& base : models(c, false))
            if (!Hypothesis({}, base).hold(e)) return true;
    }
    return false;
}

// The first of the claim's models on which the fault gives all rows; else what excludes it on the first of them.
struct Held {
    std::optional<Named> named;
    std::optional<Excluded> excluded;
};
Held hold(const Fault& fault, Evidence& e, const Contract& c) {
    Held out;
    if (c.map == Map::none || (fault.invisible && !fault.invisible(c).empty())) return out;
    const auto plain = models(c, false);
    if (plain.empty()) return out;
    Model probe = plain.front();
    apply(fault, probe);
    if (probe.address && c.residual != Residual::none) return out;
    const std::size_t d = e.read(plain.front()).empty() || e.read(plain.front())[0].rows.empty() ? 1 : e.read(plain.front())[0].rows[0].x.size();
    for (const Model& base : models(c, probe.sum != nullptr))
        for (const double p : tried(fault, probe, d)) {
            Hypothesis h({&fault}, base, {p});
            const auto no = h.hold(e);
            if (!no) return {h.named().front(), {}};
            if (!out.excluded) out.excluded = no;
        }
    return out;
}

}  // namespace

std::string Named::text() const {
    return fmt::format("{}: {}{}{}: equal bit for bit in {} of {} rows", kind, line,
                       parameter.empty() ? "" : ", ", parameter, rows, rows);
}

Explanation explain(std::span<const FailedCase> cases, const Claim& claim, std::int64_t rows) {
    Explanation out;
    Evidence evidence(cases, rows);
    // The ranges of names are wider than the contract's set: what the formula itself gives inside them shows no fault of it.
    if (gives_the_claim(evidence, claim)) {
        out.as_claimed = true;
        out.unknown = "unknown: these rows show no other formula than the claim's, only an r beyond its set";
        return out;
    }
    for (const Fault* fault : faults::all()) {
        std::optional<Excluded> first;
        bool equal = false;
        for (const Contract& c : claim) {
            const Held h = hold(*fault, evidence, c);
            if (h.named) out.equal.push_back(*h.named);
            if (!first) first = h.excluded;
            if ((equal = h.named.has_value())) break;
        }
        if (!equal && first) out.excluded.push_back(*first);
    }
    // A formula without a parameter is simpler than one that a parameter makes equal to it.
    std::sort(out.equal.begin(), out.equal.end(), [](const Named& a, const Named& b) {
        return a.parameter.empty() != b.parameter.empty() ? a.parameter.empty() : a.kind < b.kind;
    });
    if (out.equal.empty()) out.unknown = "unknown: none of the listed faults gives these rows bit for bit";
    return out;
}

}  // namespace ulpgate
