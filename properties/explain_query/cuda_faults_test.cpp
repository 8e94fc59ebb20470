// Query paths in CUDA with one fault each (impls/cuda/query_faulty), executed: every kind of the bank is found and named; the right
// one passes.
#include <gtest/gtest.h>

#include <set>

#include "impls/subject/subject.hpp"
#include "properties/cases/case.hpp"
#include "properties/explain_query/explain_query.hpp"
#include "properties/judge/query_judge.hpp"
#include "properties/query_profiles/query_profile.hpp"
#include "reference/query_faults/query_fault.hpp"

namespace ulpgate {
namespace {

std::string file_of(std::string kind) {
    for (char& c : kind)
        if (c == '.') c = '_';
    return ULPGATE_HOME "/kernels/cuda/query_faulty/" + kind + ".toml";
}
std::unique_ptr<Subject> open(const std::string& kind) {
    SubjectOptions o;
    o.home = ULPGATE_HOME;
    auto s = open_subject(file_of(kind), o);
    const Outcome started = s->start();
    EXPECT_EQ(started.event, Event::ok) << kind << ": " << started.what;
    return started.event == Event::ok ? std::move(s) : nullptr;
}
Case case_of(const EntryInfo& e, const std::string& kind, const std::string& profile) {
    const bool head = e.abi == Abi::linear, scales = kind.starts_with("mla.fp8"), ropes = e.contract.find("rope=") != std::string::npos;
    // f32 logits are pinned where a sum has one term: beyond that no name comes out of the band.
    std::string sizes = kind == "head.widened_early" ? "/1/rows=6/out=40" : head ? "/64/rows=6/out=40" : scales ? "/200/bt=2x3/rank=130/heads=2/nope=96/rope=48" : kind == "mla.norm_spurious" ? "/64/bt=2x3/rank=0/heads=2/nope=8/rope=4" : "/64/bt=2x3/rank=16/heads=2/nope=8/rope=4";
    if (e.contract.find("kv=") != std::string::npos) sizes += "/kv=6";
    if (ropes) sizes += "/past=4095";
    Case c;
    const auto bad = parse((head ? "head/bf16" : "mla_query/bf16") + sizes + "/contract=" + e.contract.substr(5) + "/profile=" + profile + "/seed=5", c);
    EXPECT_FALSE(bad) << (bad ? bad->what : "");
    return c;
}

struct Ran {
    Tensors t;
    Outcome o;
};
Ran run(Subject& s, const Case& c) {
    Made made = make(c);
    EXPECT_EQ(made.error, "");
    Ran r{std::move(made.tensors), {}};
    r.o = s.run(0, r.t);
    EXPECT_EQ(r.o.event, Event::ok) << print(c) << ": " << r.o.what;
    return r;
}

TEST(CudaQueryFaults, TheRightOnePasses) {
    const auto s = open("right");
    ASSERT_TRUE(s);
    for (const QueryProfile* p : query_profiles::all()) {
        const Case c = case_of(s->entries()[0], "right", std::string(p->name));
        const Ran r = run(*s, c);
        const Judgement j = judge(r.t, r.o, c.claim);
        EXPECT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted) << p->name << ": " << j.what;
    }
}

TEST(CudaQueryFaults, EachKindIsFoundAndNamed) {
    for (const QueryFault* f : query_faults::all()) {
        const std::string kind(f->kind);
        const auto s = open(kind);
        if (!s) continue;
        bool found = false;
        for (const char* profile : {"onehot", "integers", "random", "massive", "pairs"}) {  // pairs: cut sums, where logits are f32
            const Case c = case_of(s->entries()[0], kind, profile);
            const Ran r = run(*s, c);
            if (r.o.event != Event::ok || judge(r.t, r.o, c.claim).verdict != Verdict::inadmissible) continue;
            found = true;
            const auto e = explain_query({{&r.t, &r.o}}, c.claim[0]);
            bool named = false;
            std::string others;
            for (const auto& n : e.equal) named |= n.kind == f->kind, others += n.kind + " ";
            EXPECT_TRUE(named) << kind << " on " << print(c) << ": " << others << e.unknown;
            break;
        }
        EXPECT_TRUE(found) << kind;
    }
}

}  // namespace
}  // namespace ulpgate
