#include "properties/explain/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

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

// What a kernel with a coarse estimate does; within two ulps.
float newton(float v, const Moments&, double) {
    if (v == 0 || !std::isfinite(v)) return static_cast<float>(1 / std::sqrt(static_cast<double>(v)));
    const auto e = static_cast<float>(1 / std::sqrt(static_cast<double>(v)) * (1 + 0x1p-13));
    const float residual = std::fma(-v * e, e, 1.0f);
    return std::fma(0.5f * e, residual, e);
}

Model mutant(const Fault* f, const ForeignArithmetic& a, Type t) {
    Model m;
    const std::string base = f ? std::string(f->base) : "cast_first";
    if (const auto bad = parse(fmt::format("{},{},{}", name(t), base, a.fields), m)) throw std::logic_error(bad->what);
    if (a.newton) m.rsqrt = newton;
    if (f) apply(*f, m);
    if (m.root) m.rsqrt = nullptr;  // the fault says how the root is taken
    return m;
}

// Why these shapes and this sum cannot show the fault.
std::string_view unseen(const Model& m, std::int64_t d) {
    if (m.spill && m.spill(d) == 0) return "d is even: no pair of columns reaches into the next row";
    if (m.for_rows && m.contract.acc == Accumulate::f64) return "an f64 sum: any order rounds to the same f32 but in 1 of 2^29/d rows";
    return "";
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

std::string_view name(Naming n) {
    constexpr std::string_view names[] = {"right", "tied", "wrong", "unnamed", "missed", "invisible"};
    return names[static_cast<std::size_t>(n)];
}

MutantCell name_mutant(const Fault* f, const ForeignArithmetic& a, Type t, std::int64_t d) {
    MutantCell out{f ? std::string(f->kind) : "", a.name, t, d};
    const Claim claim = [&] {
        Claim c;
        if (const auto bad = parse(fmt::format("{},{}", name(t), f ? f->base : "cast_first"), c)) throw std::logic_error(bad->what);
        return c;
    }();
    if (f && f->invisible)
        if (const auto why = f->invisible(claim[0]); !why.empty()) return out.naming = Naming::invisible, out.said = why, out;
    const Model m = mutant(f, a, t);
    if (const auto why = unseen(m, d); !why.empty()) return out.naming = Naming::invisible, out.said = why, out;
    const auto began = std::chrono::steady_clock::now();
    const Explanation e = diagnose(
        [&](const Tensors& tensors) {
            Outcome o;
            o.out = m.run(tensors);
            return o;
        },
        *find_op("q_a_layernorm"), claim, d);
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
