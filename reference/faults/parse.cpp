// The text of a model: a contract's fields, and what only a model has: fma, rsqrt_form, mean_in, fault.
#include <cmath>

#include <fmt/format.h>

#include "reference/base/from_chars.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

float recip_sqrt(float v, const Moments&, double) { return 1.0f / std::sqrt(v); }

using Rsqrt = float (*)(float, const Moments&, double);
constexpr std::pair<std::string_view, Rsqrt> rsqrt_forms[] = {{"rn", nullptr}, {"recip_sqrt", recip_sqrt}};
constexpr int most_steps = 1 << 20;

constexpr ModelField fields[] = {
    {"fma", "", "squares go into the f32 sum by a fused multiply-add"},
    {"rsqrt_form", "rn recip_sqrt up:K down:K",
     "1/sqrt(v) correctly rounded, 1/sqrtf(v) in two roundings, or rn moved by K values of f32: within rsqrt=K+1"},
    {"mean_in", "f32 f64", "f64: the sum of acc=f64 is divided in f64, m is rounded once; f32: the sum is rounded first"},
    {"fault", "KIND[:PARAM]", "one changed line: ulpgate list faults"},
};

// What the text says beyond the contract, each with its place.
struct Extra {
    std::string_view value;
    std::size_t at = 0;
    bool given = false;
};

struct Tokens {
    std::string claim;
    std::vector<std::pair<std::size_t, std::size_t>> places;  // offset in claim, offset in the text
    Extra fma, rsqrt_form, mean_in, fault;

    Extra* extra(std::string_view key) {
        const std::pair<std::string_view, Extra*> all[] = {
            {"fma", &fma}, {"rsqrt_form", &rsqrt_form}, {"mean_in", &mean_in}, {"fault", &fault}};
        for (const auto& [k, e] : all)
            if (k == key) return e;
        return nullptr;
    }

    std::size_t place(std::size_t at) const {
        std::size_t found = at;
        for (const auto& [in_claim, in_text] : places)
            if (in_claim <= at) found = in_text + (at - in_claim);
        return found;
    }
};

std::optional<ParseError> read(std::string_view text, Tokens& out) {
    std::size_t at = 0;
    for (const auto token : split(text, ',')) {
        const auto eq = token.find('=');
        const auto key = token.substr(0, eq);
        Extra* e = out.extra(key);
        if (!e) {
            if (!out.places.empty()) out.claim += ',';
            out.places.emplace_back(out.claim.size(), at);
            out.claim += token;
        } else {
            if (e->given) return ParseError{at, fmt::format("'{}' is given twice: a model has one", key)};
            if (e == &out.fma && eq != token.npos) return ParseError{at + eq, "fma takes no value"};
            if (e != &out.fma && eq == token.npos)
                return ParseError{at, fmt::format("'{0}' needs a value: {0}=...", key)};
            *e = {eq == token.npos ? "" : token.substr(eq + 1), at + (eq == token.npos ? 0 : eq + 1), true};
        }
        at += token.size() + 1;
    }
    return {};
}

// Why no model restates this contract, "" where one does.
std::string no_model(const Contract& c) {
    if (c.map == Map::none) return "a model needs a map: cast_first or f32_gain";
    if (auto why = why_no_map(c); !why.empty()) return why;
    if (c.rstd != Emit::none) return "rstd=out: no model writes rstd yet";
    if (c.stat != Stat::ms) return "stat=mean_m2: no model of it yet, stat=ms only";
    if (c.sq == Accumulate::f64 && c.acc != Accumulate::f64)
        return "sq=f64 goes with acc=f64: squares in f64 would be rounded before they are added";
    return "";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string n = nearest(word, candidates);
    return n.empty() ? "" : fmt::format("; did you mean '{}'?", n);
}

std::optional<ParseError> set_rsqrt_form(const Extra& e, Model& m) {
    if (m.map->by == By::div)
        return ParseError{e.at, "rsqrt_form is a choice of by=mul: by=div takes sqrt(v), correctly rounded"};
    std::vector<std::string> names;
    for (const auto& [name, form] : rsqrt_forms) {
        if (name == e.value) return m.rsqrt = form, std::nullopt;
        names.emplace_back(name);
    }
    for (const auto& [name, sign] : {std::pair("up", 1), std::pair("down", -1)}) {
        names.push_back(fmt::format("{}:K", name));
        const auto colon = e.value.find(':');
        if (e.value.substr(0, colon) != name) continue;
        int k = 0;
        if (colon == e.value.npos || !parse_integer(e.value.substr(colon + 1), k) || k < 1 || k > most_steps)
            return ParseError{e.at, fmt::format("{}:K needs a whole number K from 1 to {}, not '{}'", name, most_steps,
                                                colon == e.value.npos ? "" : e.value.substr(colon + 1))};
        return m.r_steps = sign * k, std::nullopt;
    }
    return ParseError{e.at, fmt::format("'{}' is not a value of rsqrt_form: {}{}", e.value,
                                        fmt::join(names, ", "), did_you_mean(e.value, names))};
}

std::optional<ParseError> set_mean_in(const Extra& e, Model& m) {
    if (e.value != "f32" && e.value != "f64")
        return ParseError{e.at, fmt::format("'{}' is not a value of mean_in: f32, f64", e.value)};
    m.f64_mean = e.value == "f64";
    if (m.f64_mean && m.contract.acc != Accumulate::f64)
        return ParseError{e.at, "mean_in=f64 divides a sum that is kept in f64: it goes with acc=f64"};
    if (m.f64_mean && m.contract.mean == Mean::recip)
        return ParseError{e.at, "mean_in=f64 divides by d: it does not go with mean=recip"};
    return {};
}

// One KIND[:PARAM] of the faults, which begins at `at`.
std::optional<ParseError> set_one_fault(std::string_view token, std::size_t at, Model& m) {
    const auto colon = token.find(':');
    const auto kind = token.substr(0, colon);
    const Fault* f = find_fault(kind);
    if (!f) {
        std::vector<std::string> kinds;
        for (const Fault* k : faults::all()) kinds.emplace_back(k->kind);
        return ParseError{at, fmt::format("no fault '{}'{} ({})", kind, did_you_mean(kind, kinds),
                                          fmt::join(kinds, " "))};
    }
    for (const Fault* other : faults_of(m))
        if (!combine(*f, *other))
            return ParseError{at, fmt::format("{} and {} change the same line", other->kind, f->kind)};
    if (colon == token.npos) return apply(*f, m), std::nullopt;
    const auto text = token.substr(colon + 1);
    at += colon + 1;
    if (f->param.empty()) return ParseError{at, fmt::format("{} takes no parameter, got '{}'", kind, text)};
    double p = 0;
    if (!read_digits(text, false, p))
        return ParseError{at,
                          fmt::format("{} of {} is a number of at least 0, not '{}'", f->param, kind, text)};
    if (f->param != "EPS" && (p != std::floor(p) || p > 0x1p53))
        return ParseError{at, fmt::format("{} of {} is an integer, not '{}'", f->param, kind, text)};
    apply(*f, m, p);
    return {};
}

// KIND[:PARAM][+KIND[:PARAM]]...: faults of different stages.
std::optional<ParseError> set_fault(const Extra& e, Model& m) {
    std::size_t at = e.at;
    for (const auto token : split(e.value, '+')) {
        if (auto bad = set_one_fault(token, at, m)) return bad;
        at += token.size() + 1;
    }
    m.fault = e.value;
    return {};
}

}  // namespace

std::span<const ModelField> model_fields() { return fields; }

std::optional<ParseError> parse(std::string_view text, Model& out) {
    Tokens t;
    if (auto bad = read(text, t)) return bad;
    Claim claim;
    if (auto bad = parse(t.claim, claim)) return ParseError{t.place(bad->at), bad->what};
    if (claim.size() != 1)
        return ParseError{t.place(t.claim.find('+')), "a model is one contract, not a set"};
    Model m;
    m.contract = claim[0];
    if (auto why = no_model(m.contract); !why.empty()) return ParseError{0, why};
    m.map = maps_for(m.contract).front();
    m.order = *find_order(m.contract.order == "any" ? "sequential" : m.contract.order);
    m.fma = t.fma.given;
    if (m.fma && (m.contract.sq != Accumulate::f32 || m.contract.acc != Accumulate::f32))
        return ParseError{t.fma.at, "fma is of the f32 sum: it goes with sq=f32,acc=f32"};
    if (t.rsqrt_form.given)
        if (auto bad = set_rsqrt_form(t.rsqrt_form, m)) return bad;
    if (t.mean_in.given)
        if (auto bad = set_mean_in(t.mean_in, m)) return bad;
    if (t.fault.given)
        if (auto bad = set_fault(t.fault, m)) return bad;
    out = std::move(m);
    return {};
}

}  // namespace ulpgate
