#include "properties/explain/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "properties/explain/battery.hpp"

namespace ulpgate {
namespace {

constexpr ForeignArithmetic all[] = {
    {"sequential", "order=sequential,mean=div"},
    {"lanes8x4", "order=lanes:8x4,mean=recip,rsqrt_form=recip_sqrt"},
    {"lanes8x4-fma", "order=lanes:8x4,mean=div,fma", true},
    {"tree256", "order=cuda_block,mean=div,rsqrt_form=recip_sqrt"},
    {"tree256-fma", "order=cuda_block,mean=recip,fma"},
    {"f64", "order=sequential,sq=f64,acc=f64,mean_in=f64"},
};

constexpr std::string_view honest[] = {"cast_first",           "cast_first,by=div",     "cast_first,gain=one_plus", "cast_first,gain=none",       "cast_first,residual=rounded",
                                       "f32_gain,assoc=xr_w",  "f32_gain,assoc=x_rw",   "f32_gain,assoc=xw_r",      "f32_gain,by=div"};

// What a kernel with a coarse estimate does; within two ulps.
float newton(float v, const Moments&, double) {
    if (v == 0 || !std::isfinite(v)) return static_cast<float>(1 / std::sqrt(static_cast<double>(v)));
    const auto e = static_cast<float>(1 / std::sqrt(static_cast<double>(v)) * (1 + 0x1p-13));
    const float residual = std::fma(-v * e, e, 1.0f);
    return std::fma(0.5f * e, residual, e);
}

Model mutant(const Fault* f, const ForeignArithmetic& a, Type t, std::string_view base) {
    Model m;
    std::string fields(a.fields);
    const bool divides = base.find("by=div") != base.npos;
    if (const auto root = fields.find(",rsqrt_form"); divides && root != fields.npos) fields.erase(root);  // no reciprocal root
    if (const auto bad = parse(fmt::format("{},{},{}", name(t), base, fields), m)) throw std::logic_error(bad->what);
    if (a.newton && !divides) m.rsqrt = newton;
    if (f) apply(*f, m);
    if (m.root) m.rsqrt = nullptr;  // the fault says how the root is taken
    return m;
}

// Why the changed line computes what it did, under this contract and these shapes.
std::string_view same_line(const Fault* f, const Model& m, const Contract& c, std::int64_t d) {
    if (f && f->invisible)
        if (const auto why = f->invisible(c); !why.empty()) return why;
    return m.spill && m.spill(d) == 0 ? "d is even: no pair of columns reaches into the next row" : "";
}

// Both models on every row of the diagnosis.
bool same_outputs(const Model& a, const Model& b, const Op& op, const Contract& c, std::int64_t d) {
    const auto cases = naming::battery(op, c, d);
    return std::all_of(cases.begin(), cases.end(), [&](const Tensors& t) { return a.run(t) == b.run(t); });
}

Naming judged(const Fault* f, const Explanation& e) {
    if (e.as_claimed && e.equal.empty()) return Naming::missed;
    if (!f) return e.equal.empty() && e.findings.empty() ? Naming::unnamed : Naming::wrong;
    const auto is = [&](const Finding& x) {
        if (f->stage == Stage::map) return x.lines.empty() && x.computes.map == Map::f32_gain;
        return x.lines.size() == 1 && x.lines[0].kind == f->kind;
    };
    if (e.findings.empty()) return e.equal.empty() ? Naming::unnamed : e.equal[0].kind == f->kind ? Naming::right : Naming::wrong;
    const auto hits = std::count_if(e.findings.begin(), e.findings.end(), is);
    if (hits == 0) return Naming::wrong;
    return hits == static_cast<std::ptrdiff_t>(e.findings.size()) ? Naming::right : Naming::tied;
}

}  // namespace

std::span<const ForeignArithmetic> foreign_arithmetics() { return all; }

std::span<const std::string_view> honest_contracts() { return honest; }
bool approximate_root(const Fault& f) { return f.kind == "rsqrt.approx" || f.kind == "rsqrt.nr1"; }

std::string_view name(Naming n) {
    constexpr std::string_view names[] = {"named", "tied", "wrong", "unknown", "missed", "invisible", "same"};
    return names[static_cast<std::size_t>(n)];
}

MutantCell name_mutant(const Fault* f, const ForeignArithmetic& a, Type t, std::int64_t d, std::string_view contract) {
    const std::string base(f ? f->base : contract);
    MutantCell out{f ? std::string(f->kind) : "", base, a.name, t, d};
    const Op& op = *find_op("q_a_layernorm");
    Claim claim;
    if (const auto bad = parse(fmt::format("{},{}", name(t), base), claim)) throw std::logic_error(bad->what);
    const Model m = mutant(f, a, t, base);
    if (const auto why = same_line(f, m, claim[0], d); !why.empty()) {
        out.said = why;
        // "T is fp16: rstd.low is this line"
        const auto stop = why.find(" is this line"), start = why.rfind(' ', stop - 1) + 1;
        const Fault* other = stop == why.npos ? nullptr : find_fault(why.substr(start, stop - start));
        out.naming = same_outputs(m, mutant(other, a, t, base), op, claim[0], d) ? Naming::same : Naming::missed;
        if (out.naming == Naming::same || other) return out;
        // Another form that the contract allows: an f32 mean after an f64 sum.
        const Explanation e = diagnose([&](const Tensors& x) { return Outcome{Event::ok, "", m.run(x), {}, 0}; }, op, claim, d);
        if (e.as_claimed && e.equal.empty()) out.naming = Naming::same;
        return out;
    }
    const auto began = std::chrono::steady_clock::now();
    const Explanation e = diagnose(
        [&](const Tensors& x) { return Outcome{Event::ok, "", m.run(x), {}, 0}; },
        op, claim, d);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    out.naming = judged(f, e);
    out.rows = e.rows, out.calls = e.calls;
    for (const Finding& x : e.findings) out.said += (out.said.empty() ? "" : " | ") + x.text();
    if (e.findings.empty())
        for (const Named& x : e.equal) out.said += (out.said.empty() ? "" : " | ") + x.kind;
    if (out.said.empty()) out.said = e.unknown;
    if (out.naming == Naming::unnamed && f)
        for (const Excluded& x : e.excluded)
            if (x.kind == f->kind) out.said += fmt::format(" (excluded by case {} row {}: {})", x.at, x.row, x.why);
    return out;
}

}  // namespace ulpgate
