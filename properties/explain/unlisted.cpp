#include "properties/explain/unlisted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "reference/ops/op.hpp"
#include "reference/toml/document.hpp"

namespace ulpgate {
namespace {

using Kinds = std::vector<std::string>;

bool holds(const Kinds& all, const std::string& kind) { return std::find(all.begin(), all.end(), kind) != all.end(); }

Kinds texts(const TomlValue* v) {
    Kinds out;
    if (v)
        for (const TomlValue& item : v->array) out.push_back(item.text);
    return out;
}

// The kinds that a finding names: its lines, and another map than the claim's as the order of gain and cast.
Kinds kinds_of(const Finding& f, const Claim& claim) {
    Kinds out;
    for (const Named& n : f.lines) out.push_back(n.kind);
    const auto same = [&](const Contract& c) { return c.map == f.computes.map && c.by == f.computes.by; };
    if (std::none_of(claim.begin(), claim.end(), same))
        out.push_back(f.computes.map == Map::f32_gain && f.computes.by == By::mul ? "order.gain_then_cast" : "contract " + print(f.computes, false));
    return out;
}

bool allowed(const Truth& t, std::int64_t d, const std::string& kind) {
    const auto here = [&](const Truth::Also& a) { return holds(a.kinds, kind) && (!a.below || d < a.below) && (!a.multiple_of || d % a.multiple_of == 0); };
    return std::any_of(t.names.begin(), t.names.end(), [&](const Kinds& k) { return holds(k, kind); }) || std::any_of(t.also.begin(), t.also.end(), here);
}

std::string words(const Explanation& e, const Claim& claim) {
    std::string s;
    for (const Finding& f : e.findings) s += (s.empty() ? "" : " | ") + f.text();
    if (e.findings.empty())
        for (const Named& n : e.equal) s += (s.empty() ? "" : " | ") + n.text();
    if (!s.empty()) return s;
    s = e.unknown;
    if (e.smallest) s += "; smallest: " + e.smallest->text(claim[0]);
    for (const std::string& b : e.broken) s += "; " + b;
    return s;
}

}  // namespace

std::string_view name(Scored s) {
    constexpr std::string_view names[] = {"right", "tied", "unknown", "misnamed", "unseen", "failed"};
    return names[static_cast<std::size_t>(s)];
}

Truth read_truth(const std::string& path) {
    Truth out;
    const TomlDocument document = read_toml(path);
    if (!(out.error = document.error).empty()) return out;
    const auto text = [&](const char* key) {
        const TomlValue* v = document.root.find(key);
        if (!v && out.error.empty()) out.error = fmt::format("{}: no {}: TRUTH.md has the schema", path, key);
        return v ? v->text : "";
    };
    if (text("schema") != "ulpgate.truth/1" && out.error.empty()) out.error = path + ": schema is not ulpgate.truth/1";
    out.subject = text("subject"), out.nameable = text("nameable");
    const TomlValue* honest = document.root.find("honest");
    out.honest = honest && honest->boolean;
    const TomlValue* faults = document.root.find("fault");
    const TomlValue* also = document.root.find("also_right");
    const TomlValue* same = document.root.find("same_function");
    if (faults)
        for (const TomlValue& f : faults->array) out.names.push_back(texts(f.find("names")));
    if (same)
        for (const TomlValue& f : same->array) out.same_function.push_back(texts(f.find("names")));
    if (also)
        for (const TomlValue& a : also->array) {
            const auto number = [&](const char* key) { return a.find(key) ? a.find(key)->integer : 0; };
            out.also.push_back({texts(a.find("names")), number("below"), number("multiple_of")});
        }
    return out;
}

Scored score(const Truth& t, const Claim& claim, std::int64_t d, const Explanation& e) {
    std::vector<Kinds> said;
    for (const Finding& f : e.findings) said.push_back(kinds_of(f, claim));
    if (said.empty())
        for (const Named& n : e.equal) said.push_back({n.kind});
    const bool nothing = std::all_of(said.begin(), said.end(), [](const Kinds& k) { return k.empty(); });
    if (t.honest) return e.as_claimed && nothing ? Scored::right : said.empty() ? Scored::unknown : Scored::misnamed;
    if (e.as_claimed && nothing) return Scored::unseen;
    if (said.empty()) return Scored::unknown;
    const auto together = [&](const Kinds& k) {
        return std::any_of(t.same_function.begin(), t.same_function.end(), [&](const Kinds& all) { return std::is_permutation(all.begin(), all.end(), k.begin(), k.end()); });
    };
    const auto right = [&](const Kinds& k) { return together(k) || (!k.empty() && std::all_of(k.begin(), k.end(), [&](const std::string& kind) { return allowed(t, d, kind); })); };
    const auto hits = std::count_if(said.begin(), said.end(), right);
    if (hits == 0) return Scored::misnamed;
    return hits == static_cast<std::ptrdiff_t>(said.size()) ? Scored::right : Scored::tied;
}

std::vector<ScoredKernel> score_kernel(const Truth& t, Subject& subject, std::int64_t d) {
    std::vector<ScoredKernel> out;
    const Outcome started = subject.start();
    if (started.event != Event::ok) {
        out.push_back({t.subject, "", d, Scored::failed, t.honest, false, started.what});
        return out;
    }
    for (std::size_t entry = 0; entry < subject.entries().size(); ++entry) {
        ScoredKernel k{t.subject, subject.entries()[entry].contract, d};
        k.honest = t.honest;
        Claim claim;
        if (const auto bad = parse(k.contract, claim)) {
            k.scored = Scored::failed, k.said = bad->what;
            out.push_back(std::move(k));
            continue;
        }
        const auto began = std::chrono::steady_clock::now();
        const Explanation e = diagnose([&](const Tensors& tensors) { return subject.run(entry, tensors); }, *find_op("q_a_layernorm"), claim, d);
        k.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        k.scored = e.rows == 0 ? Scored::failed : score(t, claim, d, e);
        k.rows = e.rows, k.calls = e.calls, k.said = words(e, claim);
        for (const Finding& f : e.findings) {
            const Kinds kinds = kinds_of(f, claim);
            const auto named = [&](const Kinds& names) { return std::any_of(kinds.begin(), kinds.end(), [&](const std::string& n) { return holds(names, n); }); };
            k.both = k.both || (t.names.size() == 2 && named(t.names[0]) && named(t.names[1]));
        }
        out.push_back(std::move(k));
    }
    return out;
}

}  // namespace ulpgate
