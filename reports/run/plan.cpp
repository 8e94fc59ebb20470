#include "reports/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/run/case_source.hpp"

namespace ulpgate {
namespace {

template <class T>
bool wanted(const std::vector<T>& filter, const T& v) {
    return filter.empty() || std::find(filter.begin(), filter.end(), v) != filter.end();
}

struct Entry {
    std::size_t index;
    EntryInfo info;
    Claim claim;  // as the entry says
};

// Entries with their claims read; the first unreadable one as an error.
std::string read_entries(const Subject& s, std::vector<Entry>& out) {
    for (std::size_t k = 0; k < s.entries().size(); ++k) {
        Entry e{k, s.entries()[k], {}};
        if (auto bad = parse(e.info.contract, e.claim)) return fmt::format("entry {}: contract '{}': {}", k, e.info.contract, bad->what);
        out.push_back(std::move(e));
    }
    return out.empty() ? "its descriptor has no entries" : "";
}

// --contract TEXT for this entry: TEXT with its types, or with the entry's type put before it.
std::optional<Claim> read_contract(const std::string& text, const Claim& entry) {
    Claim c;
    if (!parse(text, c)) return same_tensors(c[0], entry[0]) ? std::optional(c) : std::nullopt;
    if (!parse(fmt::format("{},{}", name(entry[0].x), text), c) && same_tensors(c[0], entry[0])) return c;
    return {};
}

// The claims that an entry is held to.
std::vector<Claim> held_to(const RunRequest& r, const std::vector<Entry>& all, const Entry& e) {
    if (r.contracts.empty()) return {e.claim};
    std::vector<Claim> out;
    for (const auto& text : r.contracts) {
        const auto c = read_contract(text, e.claim);
        if (!c) continue;
        // Another entry that claims exactly this is the one to hold to it.
        const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const Entry& o) { return o.index != e.index && o.claim == *c; });
        if (!elsewhere || e.claim == *c) out.push_back(*c);
    }
    return out;
}

void add(Plan& plan, GroupPlan g, std::int64_t default_rows) {
    if (g.cases.empty()) return;
    plan.cases += static_cast<std::int64_t>(g.cases.size());
    for (const auto& c : g.cases) plan.rows += c.batch * c.tokens;
    plan.default_rows += default_rows;
    plan.groups.push_back(std::move(g));
}

// PTX that is executed: a token on the model's shape takes seconds.
bool is_executed(const std::string& text) { return text == "ptx" || text.starts_with("ptx@") || text.find(".toml") != text.npos; }

void plan_gate(const RunRequest& r, const std::string& text, const std::vector<Entry>& entries, Plan& plan) {
    CaseFilter filter = r.filter;
    filter.whole = !is_executed(text);
    for (const Op* op : ops::all()) {
        if (!wanted(r.filter.ops, std::string(op->name))) continue;
        for (const auto& e : entries) {
            if (e.info.abi != op->abi || !wanted(r.filter.types, std::string(name(e.claim[0].x)))) continue;
            for (const auto& claim : held_to(r, entries, e)) {
                auto set = cases_for(*op, claim, filter);
                if (!set.error.empty()) plan.error = set.error;
                add(plan, {text, e.index, std::string(op->name), claim, std::move(set.cases)}, set.default_rows);
            }
        }
    }
}

void plan_lines(const RunRequest& r, const std::string& text, const std::vector<Entry>& entries, const std::vector<Case>& lines,
                bool entry_claims, Plan& plan) {
    std::vector<EntryInfo> infos;
    for (const auto& e : entries) infos.push_back(e.info);
    std::vector<GroupPlan> groups;
    for (auto c : lines) {
        const Op* op = find_op(c.op);
        if (!op || !wanted(r.filter.ops, c.op) || !wanted(r.filter.types, std::string(name(c.claim[0].x)))) continue;
        const auto k = entry_for(infos, op->abi, c.claim);
        if (!k) {
            plan.error = fmt::format("{}: no entry for {} {}", text, c.op, print(c.claim));
            return;
        }
        std::vector<Claim> claims{entry_claims ? entries[*k].claim : c.claim};
        if (!r.contracts.empty()) claims = held_to(r, {entries[*k]}, entries[*k]);
        for (const auto& claim : claims) {
            c.claim = claim;
            auto it = std::find_if(groups.begin(), groups.end(), [&](const GroupPlan& g) { return g.op == c.op && g.claim == claim; });
            if (it == groups.end()) it = groups.insert(groups.end(), {text, *k, c.op, claim, {}});
            it->cases.push_back(c);
        }
    }
    for (auto& g : groups) {
        std::int64_t rows = 0;
        for (const auto& c : g.cases) rows += c.batch * c.tokens;
        add(plan, std::move(g), rows);
    }
}

void plan_subject(const RunRequest& r, const Wanted& w, Plan& plan, Result& result) {
    auto s = open_subject(w.subject, r.options);
    const auto started = s->start();
    const bool required = std::find(r.required.begin(), r.required.end(), w.subject) != r.required.end();
    if (started.event == Event::unavailable) {
        result.skipped.push_back({w.subject, started.what, required});
        return;
    }
    std::vector<Entry> entries;
    auto why = started.event == Event::ok ? read_entries(*s, entries) : started.what;
    if (!why.empty()) {
        result.not_loaded.push_back({w.subject, why});
        return;
    }
    result.subjects.push_back({w.subject, s->name(), s->version(), s->mode()});
    const auto before = plan.groups.size();
    if (!w.lines.empty()) {
        plan_lines(r, w.subject, entries, w.lines, false, plan);
    } else if (const auto texts = s->cases(); !texts.empty()) {
        std::vector<Case> lines;
        for (const auto& t : texts) {
            Case c;
            if (auto bad = parse(t, c)) {
                result.not_loaded.push_back({w.subject, fmt::format("case '{}', column {}: {}", t, bad->at + 1, bad->what)});
                return;
            }
            lines.push_back(std::move(c));
        }
        plan_lines(r, w.subject, entries, lines, true, plan);
    } else {
        plan_gate(r, w.subject, entries, plan);
    }
    if (plan.groups.size() == before) result.skipped.push_back({w.subject, "none of its entries matches --op, --type, --contract and --d", required});
}

}  // namespace

bool same_tensors(const Contract& a, const Contract& b) {
    return a.x == b.x && a.w == b.w && a.y == b.y && a.res == b.res && (a.gain == Gain::none) == (b.gain == Gain::none) && a.beta == b.beta &&
           a.rstd == b.rstd && (a.residual == Residual::none) == (b.residual == Residual::none) && a.quant == b.quant &&
           a.weights == b.weights && (a.bias == Bias::none) == (b.bias == Bias::none) && a.taps == b.taps && a.kv == b.kv && a.absorb == b.absorb &&
           a.rope == b.rope;
}

std::optional<std::size_t> entry_for(const std::vector<EntryInfo>& entries, Abi abi, const Claim& claim) {
    std::optional<std::size_t> silent, same;
    for (std::size_t k = 0; k < entries.size(); ++k) {
        Claim c;
        if (entries[k].abi != abi || parse(entries[k].contract, c)) continue;
        if (c == claim) return k;
        if (!same_tensors(c[0], claim[0])) continue;
        if (claims_nothing(c) && !silent) silent = k;
        if (!same) same = k;
    }
    return silent ? silent : same;
}

Plan make_plan(const RunRequest& r, Result& result) {
    Plan plan;
    for (const auto& w : r.subjects) {
        plan_subject(r, w, plan, result);
        if (!plan.error.empty()) break;
    }
    return plan;
}

}  // namespace ulpgate
