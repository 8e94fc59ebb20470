// A run with one of everything, and texts that try to break out of what they are written into. Tests only.
#pragma once
#include <limits>
#include <string>

#include "reports/result/result.hpp"

namespace ulpgate::example {

inline const std::string hostile = "./k<img src=x onerror=alert(1)>|`\"'&\x1b[2J\xff]]>--%0A::error::.so";

inline Group group(std::string subject, Verdict v, Type type = Type::bf16) {
    Group g;
    g.subject = std::move(subject);
    g.op = "q_a_layernorm";
    g.type = type;
    g.claim = {default_contract(type, Map::cast_first)};
    g.verdict = v;
    g.d = {1536};
    g.cases = 1;
    auto& m = g.whole.measure;
    m.rows = 4, m.elements = 6144, m.worst_ulp = 1.44, m.worst_r_ulp32 = 1.9;
    m.errors.put(3, 6000), m.errors.put(20, 144);
    m.by_rms[-3] = {3, 1.44, 1.9};
    m.by_rms[-11] = {1, 0.5, 0.25};
    g.whole.sight.rows = 4;
    g.cells.push_back({1536, "gaussian", m, "q_a_layernorm/bf16/1536/profile=gaussian/seed=7/row=1"});
    g.worst_line = g.cells[0].line;
    g.seconds = 0.5;
    if (!fails(v)) {
        g.passed_cases = 1;
        return g;
    }
    Failure f;
    f.verdict = v;
    f.what = "row 2 col 3  x 0x1p+0 (3f80)  w 0x1p+0 (3f80)   allowed 3f80   got 3f81";
    f.types = g.claim[0];
    f.witness = {2, 3, 1, 1, 0x3f81, 0x3f80, 0x3f80};
    f.line = "q_a_layernorm/bf16/1536/profile=gaussian/seed=7/h=0123456789abcdef/row=2";
    f.replay = {"ulpgate", "replay", g.subject, f.line};
    g.failures.push_back(f);
    g.failing_cases = 1;
    return g;
}

inline Result run() {
    Result r;
    r.context = {"0.1.0", "g++ 12.2", "-O3", "x86-64 avx2", "avx2", "some cpu", "Linux", 2, false, 7, 4096, 0, "", 1};
    r.groups.push_back(group("scalar", Verdict::pass));
    r.groups.push_back(group("scalar", Verdict::pass));  // the same words twice
    r.groups.push_back(group(hostile, Verdict::inadmissible));
    r.groups.back().names = {"rstd.low"};
    r.groups.back().explained = {"rstd.low: r = T(r): equal bit for bit in 4 of 4 rows"};
    r.groups.back().fix = "keep r in f32";
    r.groups.push_back(group("avx2", Verdict::over));
    r.groups.back().failures.clear();
    r.groups.back().limits.push_back({"r_ulp32", 1, 1.9, "budgets/a b.toml:12", "agreed", "q_a_layernorm/bf16/1536/profile=gaussian/row=1", true, ""});
    r.groups.push_back(group("k2", Verdict::inadmissible));
    r.groups.back().known = Known{"inadmissible", "ticket 7", "2030-01-01", "budgets/k2.toml:3", false};
    r.groups.push_back(group("k3", Verdict::crashed));
    r.groups.push_back(group("k4", Verdict::mistrusted));
    r.groups.back().findings = {"eps dominates 488 of 512 rows"};
    StageTable t{"scalar", "q_a_layernorm", Type::bf16, 1536, default_contract(Type::bf16, Map::cast_first), "bf16,cast_first", "equal bit for bit in 4 of 4 rows", 4, 6144, 1, 0.42, 1.4, -0.01, {}};
    for (const auto* stage : {"sum", "mean", "eps", "rsqrt", "multiply", "cast", "gain"}) t.lines.push_back({stage, 0.1, 0.5, 0.01, 1 / 7.0, 0.2, 0.9, 1, 2, "q_a_layernorm/bf16/1536/profile=gaussian/row=1", 7, {{-24, 100}, {-3, 6000}, {-1, 44}}});
    r.stages.push_back(t);
    t.op = "mla_query", t.d = 7168, t.lines.clear();
    for (const auto* stage : {"q_a sum", "q_a cast", "sum", "q_b sum", "q_b cast"}) t.lines.push_back({stage, 0.1, 0.5, 0.01, 0.2, 0, 0, 1, 0, "mla_query/bf16/7168/profile=random/row=1", 7, {{-4, 20}, {-2, 9}}});
    r.stages.push_back(t);
    EpsTable e;
    e.op = "final_norm", e.source = "real.safetensors@blk.0", e.type = Type::bf16, e.d = 7168, e.rows = 10, e.elements = 71680, e.eps = 1e-6;
    e.by_rms = {{-2000, 1, 1}, {-9, 4, 0.21}, {-3, 5, 1e-4}};
    e.share_median = 0.1, e.share_worst = 1;
    e.moves = {{1e-5, 0.0239, 0.0339, 2.44, 4, 5, 6, 700, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}};
    r.eps.push_back(e);
    e.subject = hostile, e.recovered_lo = 9.9e-7, e.recovered_hi = 1.1e-6, e.recovered_rows = 40, e.warning = "config <eps>";
    r.eps.push_back(e);
    r.maxima.push_back({"scalar", "q_a_layernorm", Type::bf16, 1536, "r_ulp32", 662.4, "searched 100000", 0, "q_a_layernorm/bf16/1536/fill=0x1p-3/gain=ones"});
    r.maxima.push_back({hostile, "final_norm", Type::bf16, 1, "ulp", 1.44, "exhaustive 65536", 0, "final_norm/bf16/1/fill=0x1p-3/gain=ones"});
    r.skipped.push_back({"avx512", "no AVX-512", false});
    r.skipped.push_back({"cuda", "no GPU", true});
    r.not_loaded.push_back({"./gone.so", "no such file"});
    r.seconds = 3;
    r.exit = exit_of(r);
    return r;
}

}  // namespace ulpgate::example
