#include "properties/judge/query_judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "impls/subject/direct.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/query_cases.hpp"
#include "properties/explain_query/explain_query.hpp"
#include "properties/query_profiles/query_profile.hpp"
#include "reference/orders/order.hpp"
#include "reference/query_faults/query_fault.hpp"

namespace ulpgate {
namespace {

Case case_of(const std::string& line) {
    Case c;
    const auto bad = parse(line, c);
    EXPECT_FALSE(bad) << line << ": " << (bad ? bad->what : "");
    return c;
}
constexpr const char* small = "/rank=16/heads=2/nope=8/rope=4/";

std::string small_for(const std::string& fields) {
    return small + std::string(fields.find("kv=") != fields.npos ? "kv=6/" : "") + (fields.find("rope=") != fields.npos ? "past=4095/" : "");
}

struct Ran {
    Tensors t;
    Outcome o;
};
Ran run(const Case& c, QueryModel m) {
    Made made = make(c);
    EXPECT_EQ(made.error, "");
    Ran r{std::move(made.tensors), {}};
    QueryPath path(r.t, m);
    r.o.out = path.run();
    return r;
}

// Every order of the bank, both maps, every type and weight, with and without taps: what they give is allowed.
TEST(QueryJudge, OrdersThatHonourTheContractPass) {
    std::int64_t outputs = 0;
    for (const std::string type : {"bf16", "fp16", "f32"})
        for (const QueryProfile* p : query_profiles::all())
            for (const std::string fields : {"cast_first", "f32_gain,taps=out", "cast_first,weights=e4m3:128x128,taps=out", "cast_first,weights=f32", "cast_first,bias=before,taps=out", "cast_first,bias=after", "cast_first,kv=fused,absorb=yes,rope=one_cast", "cast_first,bias=before,kv=fused,absorb=yes,rope=table_f32,taps=out", "f32_gain,rope=three,taps=out"})
                for (const Order* o : orders::all()) {
                    const Case c = case_of("mla_query/" + type + "/64/contract=" + fields + "/profile=" + std::string(p->name) + "/bt=2x3" + small_for(fields) + "seed=11");
                    QueryModel m{c.claim[0], {}, ""};
                    m.contract.a_order = m.contract.b_order = o->name;
                    const Ran r = run(c, m);
                    const Judgement j = judge(r.t, r.o, c.claim);
                    EXPECT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted) << print(c) << " " << o->name << ": " << j.what;
                    outputs += j.measure.elements;
                    m.contract.order = "any";
                    const Judgement named = judge(r.t, r.o, {m.contract});  // its own order claimed: the bound by height holds too
                    EXPECT_TRUE(named.verdict == Verdict::pass || named.verdict == Verdict::mistrusted) << print(c) << " " << o->name << ": " << named.what;
                }
    RecordProperty("outputs", std::to_string(outputs));
    EXPECT_GT(outputs, 50000);
}

TEST(QueryJudge, LowPartialSumsAreAContractAndAFault) {
    const Case c = case_of(std::string("mla_query/bf16/64/contract=cast_first,taps=out/profile=random/rows=4") + small + "seed=3");
    QueryModel m{c.claim[0], {}, ""};
    m.pieces.splits = 2;
    const Ran r = run(c, m);
    EXPECT_EQ(judge(r.t, r.o, c.claim).verdict, Verdict::inadmissible);
    Contract low = c.claim[0];
    low.a_part = low.b_part = Accumulate::t;
    EXPECT_EQ(judge(r.t, r.o, {low}).verdict, Verdict::pass);
}

// Every kind of the bank is found and named, from outside (no taps) or at its stage.
TEST(QueryFaults, EachIsFoundAndNamed) {
    for (const QueryFault* f : query_faults::all()) {
        if (f->kind.starts_with("head.") || f->kind.starts_with("gemm.tensor_core")) continue;  // seen where logits are f32
        for (const std::string taps : {"", ",taps=out"}) {
            std::vector<Ran> ran;
            bool found = false;
            std::string needs = f->needs.empty() ? "" : "," + std::string(f->needs);
            for (const std::string profile : {"onehot", "integers", "random", "massive"}) {
                const std::string size = f->kind == "mla.norm_spurious" ? "/rank=0/heads=2/nope=8/rope=4/" : f->kind.starts_with("mla.fp8") ? "/rank=130/heads=2/nope=96/rope=48/" : small_for(needs);
                const Case c = case_of("mla_query/bf16/" + std::string(f->kind.starts_with("mla.fp8") ? "200" : "64") + "/contract=cast_first" + needs + taps + "/profile=" + profile + "/bt=2x3" + size + "seed=5");
                QueryModel m{c.claim[0], {}, ""};
                f->change(m);
                ran.push_back(run(c, m));
                const auto v = judge(ran.back().t, ran.back().o, c.claim).verdict;
                found |= v == Verdict::inadmissible;
                if (found) {
                    const auto e = explain_query({{&ran.back().t, &ran.back().o}}, c.claim[0]);
                    bool named = false;
                    for (const auto& n : e.equal) named |= n.kind == f->kind;
                    EXPECT_TRUE(named) << f->kind << " on " << print(c) << ": " << e.unknown;
                    break;
                }
            }
            EXPECT_TRUE(found) << f->kind << taps;
        }
    }
}
// Layouts that no listed kind has are read off and put in words.
TEST(QueryFaults, AnUnlistedLayoutIsToldInWords) {
    const Case c = case_of(std::string("mla_query/bf16/64/contract=cast_first/profile=onehot/rows=3") + small + "seed=5");
    using Map = Source (*)(const Sizes&, std::int64_t, std::int64_t, std::int64_t);
    for (const auto& [map, words] : {std::pair<Map, const char*>{[](const Sizes&, std::int64_t t, std::int64_t h, std::int64_t j) { return Source{t, (1 - h) * 12 + j}; }, "heads are reversed"},
                                     {[](const Sizes&, std::int64_t t, std::int64_t h, std::int64_t j) { return Source{(t + 1) % 3, h * 12 + (j ^ 1)}; }, "tokens are moved round by 1: 0 holds 1; neighbouring columns are exchanged"}}) {
        QueryModel m{c.claim[0], {}, ""};
        m.pieces.source = map;
        const Ran r = run(c, m);
        EXPECT_EQ(judge(r.t, r.o, c.claim).verdict, Verdict::inadmissible);
        const auto e = explain_query({{&r.t, &r.o}}, c.claim[0]);
        EXPECT_TRUE(e.equal.empty());
        EXPECT_NE(e.unknown.find(words), std::string::npos) << e.unknown;
    }
}
// Cut sums stay within what f32 may lose of many terms; of two terms they do not, where the logit is f32.
TEST(QueryFaults, TensorCoresAreSeenInF32Logits) {
    for (const char* kind : {"gemm.tensor_core_8", "gemm.tensor_core_16"}) {
        const Case c = case_of("head/bf16/64/contract=cast_first,logits=f32/profile=pairs/rows=3/out=40/seed=5");
        QueryModel m{c.claim[0], {}, ""};
        EXPECT_EQ([&] { const Ran r = run(c, m); return judge(r.t, r.o, c.claim).verdict; }(), Verdict::pass) << "f32 sums";
        find_query_fault(kind)->change(m);
        const Ran r = run(c, m);
        EXPECT_EQ(judge(r.t, r.o, c.claim).verdict, Verdict::inadmissible) << kind;
        const auto e = explain_query({{&r.t, &r.o}}, c.claim[0]);
        EXPECT_TRUE(std::any_of(e.equal.begin(), e.equal.end(), [&](const QueryName& n) { return n.kind == kind; })) << kind << ": " << e.unknown;
        Claim claimed;
        ASSERT_FALSE(parse("bf16,cast_first,logits=f32,b.order=mma:8x24", claimed));
        EXPECT_EQ(judge(r.t, r.o, claimed).verdict, Verdict::pass) << "claimed, it is a contract";
    }
}
TEST(QueryFaults, OfTheHead) {
    for (const char* kind : {"head.widened_early", "head.narrowed", "gemm.acc_low", "gemm.tail_k", "gemm.transposed", "gemm.splitk_low"}) {
        const QueryFault* f = find_query_fault(kind);
        ASSERT_TRUE(f) << kind;
        const bool narrowed = std::string_view(kind) == "head.narrowed";
        const Case c = case_of(std::string("head/bf16/64/contract=cast_first") + (narrowed ? ",logits=f32" : "") + "/profile=integers/rows=3/out=40/seed=5");
        QueryModel m{c.claim[0], {}, ""};
        const Ran right = run(c, m);
        EXPECT_EQ(judge(right.t, right.o, c.claim).verdict, Verdict::pass) << kind;
        f->change(m);
        const Case wide = case_of(std::string("head/bf16/64/contract=cast_first") + (narrowed ? ",logits=f32" : "") + "/profile=random/rows=3/out=40/seed=5");
        const Ran r = run(wide, m);
        const Judgement j = judge(r.t, r.o, wide.claim);
        EXPECT_EQ(j.verdict, Verdict::inadmissible) << kind;
        if (kind != std::string_view("head.widened_early")) continue;
        std::vector<float> y(3 * 40);
        unpack(Type::f32, r.o.out.back().data(), y);
        EXPECT_EQ(j.measure.outside, std::count_if(y.begin(), y.end(), [](float v) { return round_to(Type::bf16, v) != v; })) << "every logit that is no value of bf16";
    }
}
// Position 0 is blind to which columns turn together, to a past left out and to one position for all; the gate's are not.
TEST(QueryFaults, PositionZeroIsBlind) {
    for (const char* kind : {"mla.rope_half", "mla.position_restart", "mla.position_shared"})
        for (const int past : {0, 1, 4095, 131071}) {
            const Case c = case_of("mla_query/bf16/64/contract=cast_first,rope=one_cast/profile=onehot/rows=1" + std::string(small) + "past=" + std::to_string(past) + "/seed=5");
            QueryModel m{c.claim[0], {}, ""};
            find_query_fault(kind)->change(m);
            const Ran r = run(c, m);
            const bool seen = judge(r.t, r.o, c.claim).verdict == Verdict::inadmissible;
            EXPECT_EQ(seen, past > 0 && kind != std::string_view("mla.position_shared")) << kind << " " << past;
        }
    bool ragged = false, many = false;
    Claim claim;
    ASSERT_FALSE(parse("bf16,cast_first,rope=one_cast", claim));
    for (const Case& c : query_cases(*find_op("mla_query"), claim, 64, {})) many |= c.tokens > 1 && c.past == 131071, ragged |= c.batch > 1 && c.past > 0;
    EXPECT_TRUE(many && ragged) << "the gate's own cases show all three";
}
// T = 1 is blind to a missing transpose, T > 1 is not.
TEST(QueryFaults, OneTokenIsBlindToTheTranspose) {
    for (const int tokens : {1, 2}) {
        const Case c = case_of("mla_query/bf16/64/contract=cast_first/profile=onehot/rows=" + std::to_string(tokens) + small + "seed=5");
        QueryModel m{c.claim[0], {}, ""};
        find_query_fault("mla.no_transpose")->change(m);
        const Ran r = run(c, m);
        EXPECT_EQ(judge(r.t, r.o, c.claim).verdict, tokens == 1 ? Verdict::pass : Verdict::inadmissible);
    }
}

// Sets as wide as their values tell nothing: alone and together the verdict says so, and no group of such cases is skipped.
TEST(QueryJudge, WideSetsAreMistrusted) {
    const Case c = case_of(std::string("mla_query/bf16/64/contract=cast_first,a.part=t,b.part=t/profile=cancel/rows=4") + small + "seed=3");
    const Ran r = run(c, {c.claim[0], {}, ""});
    Judgement whole, j = judge(r.t, r.o, c.claim);
    EXPECT_EQ(j.verdict, Verdict::mistrusted) << j.what;
    EXPECT_NE(j.what.find("taps=out"), std::string::npos) << j.what;
    for (int k = 0; k < 2; ++k) merge(whole, j);
    conclude(whole);
    EXPECT_EQ(whole.verdict, Verdict::mistrusted);
    const Case told = case_of(std::string("mla_query/bf16/64/contract=cast_first,a.part=t,b.part=t/profile=onehot/rows=9") + small + "seed=3");
    const Ran t = run(told, {told.claim[0], {}, ""});
    merge(whole, judge(t.t, t.o, told.claim));
    conclude(whole);
    EXPECT_EQ(whole.verdict, Verdict::pass) << "what tells in more than one output of twenty";
}

// One bf16 sum of 300 f32 roundings, exact value 2^-20: its error is counted in ulps of f32 at 2, not of bf16 at 2^-20.
TEST(QueryJudge, ErrorsOfSumsThatCancelAreCountedAtTheSizeOfTheirTerms) {
    const Case c = case_of("head/f32/64/contract=cast_first,logits=f32/profile=cancel/rows=4/out=40/seed=3");
    QueryModel m{c.claim[0], {}, ""};
    for (const char* order : {"sequential", "pairwise"}) {
        m.contract.b_order = order;
        const Ran r = run(c, m);
        const Judgement j = judge(r.t, r.o, c.claim);
        EXPECT_EQ(j.verdict, Verdict::pass);
        EXPECT_LT(j.measure.worst_ulp, 64) << order << ": one an addition at most";
        EXPECT_GT(j.measure.worst_ulp, 0) << order;
    }
}

// Shares add up, and a stage that loses its precision takes the error to itself.
TEST(QueryJudge, SharesOfTheErrorByStage) {
    const Case c = case_of("mla_query/bf16/256/contract=cast_first,taps=out/profile=random/rows=6/rank=64/heads=4/nope=16/rope=8/seed=3");
    const auto shares = [&](auto change) {
        QueryModel m{c.claim[0], {}, ""};
        change(m);
        const Ran r = run(c, m);
        const QueryShares s = judge(r.t, r.o, c.claim).shares;
        double all = 0;
        for (std::size_t k = 0; k < query_error_stages.size(); ++k) all += s.share(k);
        EXPECT_NEAR(all, 1, 1e-9);
        EXPECT_EQ(s.outputs, 6 * 96);
        return s;
    };
    const QueryShares right = shares([](QueryModel&) {});
    EXPECT_LT(std::fabs(right.share(1)) + std::fabs(right.share(4)), 0.02) << "f32 sums beside three roundings to bf16";
    EXPECT_GT(right.share(0), 0.1);
    EXPECT_GT(right.share(2), 0.2) << "two roundings";
    EXPECT_GT(right.share(3), 0.1);
    EXPECT_NEAR(right.rms(3), 0.29, 0.1) << "a rounding is uniform in half an ulp each way";
    EXPECT_GT(shares([](QueryModel& m) { m.pieces.low_sum = true; }).share(1), 0.4) << "sums in bf16";
    EXPECT_GT(shares([](QueryModel& m) { m.pieces.norm = false; }).share(2), 0.9) << "no norm";
}

// On the model's shape the certificate holds for 99 of 100 sums and more: integers are for what is built to tie.
TEST(QueryJudge, SumsOfTheModelsShapeNeedNoIntegers) {
    for (const QueryProfile* p : query_profiles::all()) {
        const Case c = case_of("mla_query/bf16/7168/contract=cast_first/profile=" + std::string(p->name) + "/rows=1/seed=5");
        const Made made = make(c);
        ASSERT_EQ(made.error, "");
        QueryPath path(made.tensors, {c.claim[0], {}, ""});
        path.through(0);
        const auto* level = path.counts.level;
        const auto all = level[1] + level[2] + level[3];
        EXPECT_EQ(all, 1536u + 64 * 192) << p->name;
        EXPECT_LE(level[3] * 100, all) << p->name << ": " << level[3] << " of " << all << " by integers";
    }
}

TEST(QueryJudge, ANaNTokenChangesNoOtherTokensBits) {
    const Case c = case_of(std::string("mla_query/bf16/64/contract=cast_first/profile=random/rows=3") + small + "seed=3");
    Made a = make(c), b = make(c);
    Tensor& h = *b.tensors.find("h");
    h.set_word(h.row_at(1) + 5, 0x7fc0);
    QueryPath pa(a.tensors, {c.claim[0], {}, ""}), pb(b.tensors, {c.claim[0], {}, ""});
    for (std::int64_t token = 0; token < 3; ++token) {
        const Ranges x = pa.through(token).q, y = pb.through(token).q;
        for (std::size_t k = 0; k < x.size(); ++k) {
            if (token == 1) EXPECT_TRUE(std::isnan(y[k].lo));
            else EXPECT_TRUE(x[k].lo == y[k].lo && x[k].hi == y[k].hi);
        }
    }
    Outcome o;
    o.out = pb.run();
    EXPECT_EQ(judge(b.tensors, o, c.claim).verdict, Verdict::pass);
}

// Every entry of the built-in kernels on small shapes, in this process.
TEST(QueryJudge, BuiltInKernelsKeepTheirClaims) {
    for (const char* name : {"scalar_query", "avx2_query", "avx512_query"}) {
        std::unique_ptr<DirectKernel> kernel;
        try {
            kernel = std::make_unique<DirectKernel>(DirectKernel::library_of(ULPGATE_HOME, name));
        } catch (const std::exception& e) {
            continue;  // this CPU cannot run it
        }
        const auto contracts = kernel->contracts();
        for (std::size_t k = 0; k < contracts.size(); ++k) {
            Claim claim;
            ASSERT_FALSE(parse(contracts[k], claim));
            for (const Case& c : query_cases(*find_op(kernel->projects(k) ? "head" : "mla_query"), claim, 64, {})) {
                Made made = make(c);
                if (made.tensors.sizes[Dim::rows] == 0) continue;
                kernel->prepare(k, made.tensors);
                ASSERT_EQ(kernel->call(), 0) << print(c);
                Outcome out;
                for (const Tensor& v : made.tensors.all) {
                    auto& bytes_of = out.out.emplace_back();
                    if (v.spec->input()) continue;
                    const auto* data = static_cast<const std::byte*>(kernel->data(v.spec->name));
                    bytes_of.assign(data, data + v.count() * bytes(v.type));
                }
                const Judgement j = judge(made.tensors, out, claim);
                EXPECT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted) << name << " " << print(c) << ": " << j.what;
            }
        }
    }
}

// A NaN or an infinity among the weights goes where IEEE arithmetic takes it: to its own outputs, in model and kernels alike.
TEST(QueryJudge, NaNAmongWeights) {
    for (const char* name : {"", "avx2_query", "scalar_query"}) {
        std::unique_ptr<DirectKernel> kernel;
        try {
            if (*name) kernel = std::make_unique<DirectKernel>(DirectKernel::library_of(ULPGATE_HOME, name));
        } catch (const std::exception&) {
            continue;
        }
        for (const std::uint32_t word : {0x7fc0u, 0x7f80u, 0xff80u}) {
            const Case c = case_of(std::string("mla_query/bf16/64/contract=cast_first/profile=random/rows=2") + small + "seed=3");
            Made made = make(c);
            Tensor& b = *made.tensors.find("q_b");
            b.set_word(b.row_at(3) + 5, word);
            Outcome o;
            if (!kernel) {
                QueryPath path(made.tensors, {c.claim[0], {}, ""});
                o.out = path.run();
            } else {
                std::size_t entry = 0;
                while (kernel->contracts()[entry].find("taps") != std::string::npos || kernel->projects(entry)) ++entry;
                kernel->prepare(entry, made.tensors);
                ASSERT_EQ(kernel->call(), 0);
                for (const Tensor& v : made.tensors.all) {
                    auto& out = o.out.emplace_back();
                    if (v.spec->input()) continue;
                    const auto* data = static_cast<const std::byte*>(kernel->data(v.spec->name));
                    out.assign(data, data + v.count() * bytes(v.type));
                }
            }
            EXPECT_EQ(judge(made.tensors, o, c.claim).verdict, Verdict::pass) << name << " " << word;
            std::vector<float> nope(2 * 2 * 8);
            for (std::size_t k = 0; k < made.tensors.all.size(); ++k)
                if (made.tensors.all[k].spec->name == "q_nope") unpack(Type::bf16, o.out[k].data(), nope);
            for (std::size_t k = 0; k < nope.size(); ++k) EXPECT_EQ(std::isfinite(nope[k]), k != 3 && k != 3 + 8) << "row 3 of head 0, both tokens: " << k;
        }
    }
}

TEST(QueryJudge, NoTokensAndBadSizes) {
    const Case none = case_of(std::string("mla_query/bf16/64/contract=cast_first/profile=random/rows=0") + small + "seed=3");
    const Ran r = run(none, {none.claim[0], {}, ""});
    EXPECT_EQ(judge(r.t, r.o, none.claim).verdict, Verdict::pass);
    Case c;
    for (const auto& [line, key] : {std::pair{"mla_query/bf16/64/profile=random/out=3", "out"}, {"head/bf16/64/profile=random/heads=2", "heads"},
                                    {"mla_query/bf16/64/profile=random/fill=0", "fill"}, {"mla_query/bf16/65536/profile=random/heads=65536", "heads"},
                                    {"q_a_layernorm/bf16/64/profile=gaussian/heads=2", "heads"}, {"mla_query/bf16/64/profile=gaussian", "profile"}}) {
        const auto bad = parse(line, c);
        ASSERT_TRUE(bad) << line;
        EXPECT_NE(bad->what.find(key), std::string::npos) << bad->what;
    }
    Ran cut = run(case_of(std::string("mla_query/bf16/64/contract=cast_first/profile=random/rows=2") + small + "seed=3"), {none.claim[0], {}, ""});
    cut.o.out.back().pop_back();
    EXPECT_EQ(judge(cut.t, cut.o, none.claim).verdict, Verdict::corrupted);
}

}  // namespace
}  // namespace ulpgate
