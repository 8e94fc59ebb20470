#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/console/console.hpp"
#include "reports/explain/arithmetic.hpp"

namespace ulpgate {
namespace {

std::string line(std::string_view what, const std::string& text) { return text.empty() ? "" : fmt::format("  {:<10} {}\n", what, text); }

std::string claim_words(const Group& g) {
    if (g.inferred || claims_nothing(g.claim)) return "claims nothing";
    auto c = g.claim;
    for (auto& k : c) k.inplace = InPlace::never, k.holds = Contract{}.holds;
    return "claims " + print(c, false);
}

std::string finding_words(const Arithmetic& a) {
    const Group& g = a.group;
    if (!g.explained.empty()) return g.explained.front();
    if (a.contracts.empty()) return g.unknown.empty() ? "unknown" : g.unknown;
    const auto& c = a.contracts.front();
    const bool own = !fails(g.verdict) && !g.inferred;
    return fmt::format("{} {}: {}, in {} of {} rows", own ? "and computes" : "computes", print(c, false), formula(c), grouped(g.whole.measure.rows), grouped(g.whole.measure.rows));
}

std::string element_words(const Arithmetic& a) {
    if (a.forms.equal.empty()) return "";
    std::vector<std::string> seen;
    for (const auto& f : a.forms.equal) {
        Contract c = f.model.contract;
        c.assoc = f.model.map->assoc;
        const auto s = f.model.fault.empty() ? formula(c) : f.model.fault;
        if (std::find(seen.begin(), seen.end(), s) == seen.end()) seen.push_back(s);
    }
    return fmt::format("{}", fmt::join(seen, " or "));
}

std::string statistic_words(const Arithmetic& a) {
    const auto& f = a.forms;
    if (f.rows == 0) return "";
    if (f.equal.empty())
        return f.measured ? fmt::format("none of the forms known: r is {} to {} ulp32 beside the correctly rounded one, over {} rows of integers", f.steps_low, f.steps_high, f.rows)
                          : fmt::format("none of the forms known, over {} rows of integers", f.rows);
    std::vector<std::string> seen;
    const bool power = a.d > 0 && (a.d & (a.d - 1)) == 0;  // both means are then the same
    for (const auto& e : f.equal) {
        if (power && e.model.contract.mean == Mean::recip && e.model.contract.mean != a.group.claim[0].mean) continue;
        if (const auto s = e.words(); std::find(seen.begin(), seen.end(), s) == seen.end()) seen.push_back(s);
    }
    return fmt::format("{}: bit for bit in {} rows of integers, {} built to tell forms apart; {} others excluded", fmt::join(seen, "; or "), f.rows, f.splitting, f.excluded.size());
}

std::string replay_words(const OrderFinding& o) {
    if (o.replayed == 0) return "";
    if (o.equal < o.replayed && o.differing_row < 0) return fmt::format("no restatement that was tried gives all of {} random rows, the best {}", o.replayed, o.equal);
    if (o.equal < o.replayed) return fmt::format("random row {} is not given by it: {} rows before are", o.differing_row, o.equal);
    const auto what = !o.models.empty() ? "model/" + o.models.front() : o.by_tree ? std::string("the tree itself (no order of that name)") : std::string("no restatement");
    if (o.kind == OrderFinding::Kind::wider) return fmt::format("{}: gives {} of {} random rows", what, o.equal, o.replayed);
    return fmt::format("{}: gives {} of {} random rows bit for bit, {} of them show another order{}", what, o.equal, o.replayed, o.telling,
                       o.fma_told ? (o.fma ? "; squares by FMA" : "; squares rounded before they are added") : "; FMA or not: does not show");
}

}  // namespace

std::string computes_words(const Arithmetic& a) {
    const auto e = element_words(a);
    if (e.empty()) return finding_words(a);
    std::vector<std::string> roots;
    for (const auto& f : a.forms.equal)
        if (const auto s = f.words(); std::find(roots.begin(), roots.end(), s) == roots.end()) roots.push_back(s);
    return fmt::format("{}, {}", e, fmt::join(roots, " or "));
}

std::string order_line(const OrderFinding& o) {
    using Kind = OrderFinding::Kind;
    switch (o.kind) {
    case Kind::tree: return fmt::format("{}; {} probes, every one of {} columns", o.words, grouped(o.probes), grouped(o.d));
    case Kind::regular:
        return fmt::format("{}; {} probes over {} of {} columns (first, middle and last), the others by the order that fits these", o.words, grouped(o.probes), o.columns.size(), grouped(o.d));
    case Kind::sampled:
        return fmt::format("over {} of {} columns: {}; {} probes; no order of a known name fits, the others were not asked", o.columns.size(), grouped(o.d), o.words, grouped(o.probes));
    case Kind::wider: return o.why;
    case Kind::not_a_tree: return "not a tree: " + o.why;
    case Kind::unreadable: return "not readable: " + o.why;
    }
    return "";
}

std::string sums_line(const GemmOrder& o) {
    if (o.columns == 0) return fmt::format("{}: {}", o.stage, o.words);
    return fmt::format("{}: {}{}; {} probes in {} calls over {} of {} columns", o.stage, o.words, o.names.empty() ? "" : fmt::format(" ({})", fmt::join(o.names, ", ")), grouped(o.probes), grouped(o.calls),
                       grouped(o.asked), grouped(o.columns));
}

std::string arithmetic_text(const Explained& e, const Style& style) {
    std::string s;
    for (const auto& a : e.all) {
        const Group& g = a.group;
        s += style.bold(fmt::format("{} {} {} d={}: {}", g.subject, g.op, name(g.type), a.d, claim_words(g))) + fmt::format(" ({})\n", name(g.verdict));
        s += line("finding", finding_words(a));
        if (!g.fix.empty()) s += line("fix", g.fix);
        s += line("element", element_words(a));
        s += line("statistic", statistic_words(a));
        if (a.sums.empty() && (a.skipped.empty() || a.order.probes)) s += line("order", order_line(a.order));
        for (const GemmOrder& o : a.sums) s += line("order", sums_line(o));
        s += line("model", a.sums.empty() ? replay_words(a.order) : a.model);
        std::string held;
        for (const auto& b : a.behaviour)
            if (b.held && !b.skipped) held += fmt::format("{}{} ({}, {} rows{})", held.empty() ? "" : "; ", b.name, b.what, grouped(b.comparisons), b.claimed ? ", claimed" : "");
        s += line("same bits", held);
        for (const auto& b : a.behaviour)
            if (!b.held || b.skipped) s += line(b.skipped ? "skipped" : b.claimed ? "FAILS" : "changes", fmt::format("{}: {}", b.name, b.finding));
        if (a.smallest) s += line("smallest", fmt::format("{}  ({} columns, {} calls)", a.smallest->text, a.smallest->nonzero, a.smallest->calls));
        s += line("skipped", a.skipped);
        for (const auto& r : a.replays) s += line("replay", fmt::format("ulpgate replay {} {}", shell_word(g.subject), r));
    }
    for (const auto& n : e.result.not_loaded) s += fmt::format("{}: DID NOT LOAD: {}\n", n.subject, n.reason);
    for (const auto& k : e.result.skipped) s += fmt::format("{}: SKIPPED: {}\n", k.subject, k.reason);
    return s;
}

std::string arithmetic_json(const Explained& e) {
    using Json = nlohmann::ordered_json;
    Json j = {{"schema", explain_schema}, {"results", Json::array()}, {"complete", e.result.complete}, {"exit", e.result.exit}};
    for (const auto& a : e.all) {
        const Group& g = a.group;
        Json contracts = Json::array(), behaviour = Json::array(), models = a.order.models, forms = Json::array();
        for (const auto& c : a.contracts) contracts.push_back(print(c));
        for (const auto& f : a.forms.equal) forms.push_back(f.text);
        for (const auto& b : a.behaviour)
            behaviour.push_back({{"relation", b.name}, {"what", b.what}, {"held", b.held}, {"claimed", b.claimed}, {"skipped", b.skipped}, {"rows", b.comparisons}, {"finding", b.finding}});
        std::optional<SmallestRow> least = g.smallest;
        if (a.smallest) least = SmallestRow{a.smallest->text, a.smallest->nonzero, a.smallest->line};
        Json sums = Json::array();
        for (const GemmOrder& o : a.sums) sums.push_back({{"stage", o.stage}, {"columns", o.columns}, {"asked", o.asked}, {"probes", o.probes}, {"words", o.words}, {"orders", o.names}});
        Json r = {{"subject", g.subject}, {"op", g.op}, {"type", name(g.type)}, {"d", a.d}, {"claim", print(g.claim)}, {"inferred", g.inferred}, {"verdict", name(g.verdict)},
                  {"rows", g.whole.measure.rows}, {"worst_ulp", fmt::format("{}", g.whole.measure.worst_ulp)}, {"r_ulp32", fmt::format("{}", g.whole.measure.worst_r_ulp32)},
                  {"finding", finding_words(a)}, {"contracts", contracts}, {"names", g.names}, {"computes", computes_words(a)}, {"forms", forms},
                  {"form_rows", a.forms.rows}, {"order", {{"words", order_line(a.order)}, {"probes", a.order.probes}, {"models", models}, {"replayed", a.order.replayed}, {"equal", a.order.equal}, {"telling", a.order.telling}}},
                  {"sums", sums}, {"sums_model", a.model}, {"behaviour", behaviour}, {"smallest", least ? Json({{"text", least->text}, {"columns", least->columns}, {"case", least->line}}) : Json(nullptr)},
                  {"skipped", a.skipped}, {"replay", a.replays}, {"seconds", a.seconds}};
        j["results"].push_back(std::move(r));
    }
    return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ulpgate
