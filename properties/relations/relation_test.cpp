// Every contract-honouring model and every built-in kernel keeps every relation and stays in its contract, on bits and on
// profiles; kernels that break one relation, inside their contract where no single call shows it, are seen.
#include "properties/relations/relation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "properties/relations/bits_test.hpp"
#include "properties/relations/kept.hpp"
#include "properties/relations/models_test.hpp"

namespace ulpgate {
namespace {

constexpr std::string_view holds = ",holds=rerun.batch.align.stride";

Claim claim_of(const std::string& text) {
    Claim c;
    if (const auto bad = parse(text, c)) throw std::runtime_error(text + ": " + bad->what);
    return c;
}

std::string lines(const Relation& r, const std::string& subject, const Case& c, const Checked& k) {
    auto s = fmt::format("{}: {}\n{}\n  first  ulpgate replay {} {}", r.name, r.law, k.what, subject, print(c));
    if (k.first_row >= 0) s += fmt::format("\n  row    ulpgate replay {} {}", subject, written_out(tensors_of(c), c.claim, k.first_row));
    if (k.row >= 0) s += fmt::format("\n  after  ulpgate replay {} {}", subject, written_out(k.changed, c.claim, k.row));
    return s;
}

struct Reach {
    int runs = 0, held = 0;  // where the relation applied; those with a row held to its bits
    void add(const Checked& k) {
        runs += k.held != Held::not_run;
        held += k.exact_rows > 0;
    }
};

// One random case, relation after relation.
void keeps_all(const RunKernel& run, const std::string& subject, const Claim& claim, std::map<std::string_view, Reach>& reach) {
    const Case c = gen::any_case(claim);
    const Tensors t = tensors_of(c);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    for (const Relation* r : relations::all()) {
        const Checked k = check(*r, t, claim, run, seed);
        reach[r->name].add(k);
        if (k.held == Held::broken) RC_FAIL(lines(*r, subject, c, k));
    }
}

void expect_reached(const std::map<std::string_view, Reach>& reach) {
    EXPECT_EQ(reach.size(), relations::all().size());
    for (const auto& [name, n] : reach) {
        EXPECT_GT(n.runs, 40) << name;
        EXPECT_GT(n.held, 15) << name;
    }
}

TEST(Relations, EveryContractHonouringModelKeepsThem) {
    std::map<std::string_view, Reach> reach;
    const auto all = kept_contracts();
    EXPECT_TRUE(rc::check("every model keeps every relation", [&] {
        const auto k = all[*rc::gen::inRange<std::size_t>(0, all.size())];
        const std::string type = *rc::gen::element("bf16", "fp16", "f32");
        const bool pinned = !k.contract.empty() && k.contract.find('+') == k.contract.npos;
        const auto text = fmt::format("{}{}{}{}", type, k.contract.empty() ? "" : ",", k.contract, pinned ? holds : "");
        const Model m = model_of(fmt::format("{},{}", type, k.model));
        keeps_all([&](const Tensors& t) { return run_model(m, t); }, fmt::format("model/{},{}", type, k.model), claim_of(text), reach);
    }));
    expect_reached(reach);
}

class BuiltInRelations : public testing::TestWithParam<const char*> {};
std::string name_of(const testing::TestParamInfo<const char*>& i) { return i.param; }
INSTANTIATE_TEST_SUITE_P(BuiltIn, BuiltInRelations, testing::Values("scalar", "avx2", "avx512", "avx512_portable", "ptx", "cuda"), name_of);

TEST_P(BuiltInRelations, AreKeptByEveryEntry) {
    SubjectOptions options;
    options.home = ULPGATE_HOME;
    const auto subject = open_subject(GetParam(), options);
    const auto o = subject->start();
    if (o.event == Event::unavailable) GTEST_SKIP() << GetParam() << ": " << o.what;
    ASSERT_EQ(o.event, Event::ok) << o.what;
    std::vector<std::size_t> norms;
    for (std::size_t k = 0; k < subject->entries().size(); ++k)
        if (subject->entries()[k].abi == Abi::rmsnorm) norms.push_back(k);
    std::map<std::string_view, Reach> reach;
    EXPECT_TRUE(rc::check("every entry keeps every relation", [&] {
        const auto entry = *rc::gen::elementOf(norms);
        keeps_all([&](const Tensors& t) { return subject->run(entry, t); }, GetParam(),
                  claim_of(subject->entries()[entry].contract), reach);
    }));
    expect_reached(reach);
}

// Kernels inside rsqrt=2 in every call, whose r moves by one value of f32 with what must not matter.
Model moved_if(bool move, const std::string& order = "sequential") {
    return model_of("f32,cast_first,order=" + order + (move ? ",rsqrt_form=up:1" : ""));
}
float x_at(const Tensors& t, std::int64_t j) { return t.find("x")->value(j); }

struct Broken {
    const char* relation;
    bool (*moves)(const Tensors&);
};
constexpr Broken broken[] = {
    {"M1", [](const Tensors& t) { return std::fabs(x_at(t, 0)) >= 1; }},
    {"M2", [](const Tensors& t) { return x_at(t, 0) < 0; }},
    {"M3", [](const Tensors& t) { return t.find("x")->rows() >= 4; }},
    {"M4", [](const Tensors& t) { return t.offset % 4 != 0; }},
    {"M5", [](const Tensors& t) { return std::fabs(t.find("w")->value(0)) >= 1; }},
    {"twice", [](const Tensors& t) { return t.find("x")->width() % 2 == 0; }},
    {"permuted", [](const Tensors& t) { return x_at(t, 0) < x_at(t, 1); }},
};

TEST(Relations, SeeWhatNoSingleCallShows) {
    const auto claim = claim_of("f32,cast_first" + std::string(holds));
    for (const Broken& b : broken) {
        int seen = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            auto c = case_of(fmt::format("q_a_layernorm/f32/33/contract=cast_first,holds=rerun.batch.align.stride/profile=integer/gain=random/rows=3/seed={}", seed));
            const Tensors t = tensors_of(c);
            const auto k = check(*find_relation(b.relation), t, claim,
                                 [&](const Tensors& q) { return run_model(moved_if(b.moves(q)), q); }, seed);
            ASSERT_NE(k.held, Held::not_run) << k.what;
            ASSERT_TRUE(k.held == Held::bits || k.what.find("r differs by 1 ulp32") != k.what.npos || k.what.find("M") == 0) << k.what;
            seen += k.held == Held::broken;
            const auto right = check(*find_relation(b.relation), t, claim, [&](const Tensors& q) { return run_model(moved_if(false), q); }, seed);
            EXPECT_EQ(right.held, Held::bits) << right.what;
        }
        EXPECT_GE(seen, 5) << b.relation;
    }
    EXPECT_EQ(std::size(broken), relations::all().size());
}

// A block size that depends on the number of rows, a path that depends on the address: failures where the invariance is
// claimed, findings where it is not.
TEST(Relations, AChangeThatIsNotClaimedAwayIsAFinding) {
    const RunKernel batch_variant = [](const Tensors& t) {
        return run_model(moved_if(false, t.find("x")->rows() >= 4 ? "lanes:32x1" : "lanes:8x1"), t);
    };
    const RunKernel align_variant = [](const Tensors& t) { return run_model(moved_if(false, t.offset % 4 ? "sequential" : "lanes:8x1"), t); };
    for (const auto& [name, run] : {std::pair("M3", batch_variant), std::pair("M4", align_variant)})
        for (const char* claimed : {"", "holds=rerun.batch", "holds=rerun.align.stride"}) {
            const std::string text = std::string("cast_first") + (*claimed ? "," : "") + claimed;
            const auto c = case_of("q_a_layernorm/f32/1536/contract=" + text + "/profile=spike/rows=3/seed=2");
            const Tensors t = tensors_of(c);
            bool finding = false, failure = false;
            for (std::uint64_t seed = 1; seed <= 8; ++seed) {
                const auto k = check(*find_relation(name), t, c.claim, run, seed);
                finding |= k.held == Held::finding;
                failure |= k.held == Held::broken;
                EXPECT_TRUE(k.held == Held::bits || k.what.find("; r differs by ") != k.what.npos) << k.what;
            }
            const bool owed = std::string_view(claimed).find(name == std::string_view("M3") ? "batch" : "align") != std::string_view::npos;
            EXPECT_EQ(failure, owed) << name << " " << claimed;
            EXPECT_EQ(finding, !owed) << name << " " << claimed;
        }
}

// Faults of the bank, each by a relation that it breaks, even if neither call were judged.
TEST(Relations, SeeFaults) {
    struct Faulty {
        const char *relation, *claim, *fault;
    };
    for (const Faulty f : {Faulty{"M1", "cast_first", "eps.value:1e-5"}, Faulty{"M1", "cast_first", "eps.outside"},
                           Faulty{"M2", "cast_first", "stat.layernorm"}, Faulty{"M2", "cast_first", "stat.centred_var"},
                           Faulty{"M3", "cast_first", "lane.row_mix"}, Faulty{"M4", "cast_first", "layout.row_stride"},
                           Faulty{"M5", "cast_first", "gain.offset"}, Faulty{"twice", "cast_first", "lane.tail"},
                           Faulty{"permuted", "cast_first", "lane.dropped"}, Faulty{"permuted", "f32_gain", "stat.partial_width"}}) {
        int seen = 0;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const auto c = case_of(fmt::format("q_a_layernorm/f32/48/contract={}{}/profile=gaussian/gain=random/rows=4/seed={}", f.claim, holds, seed));
            const Model m = model_of(fmt::format("f32,{},fault={}", f.claim, f.fault));
            seen += check(*find_relation(f.relation), tensors_of(c), c.claim, [&](const Tensors& t) { return run_model(m, t); }, seed).held == Held::broken;
        }
        EXPECT_GT(seen, 0) << f.relation << " " << f.fault;
    }
}

// A failure shrinks to few columns, as a line that fails again when it is read back.
TEST(Relations, FailuresShrinkToAReadableLine) {
    const auto claim = claim_of("f32,cast_first");
    const RunKernel faulty = [](const Tensors& t) { return run_model(moved_if(x_at(t, 0) < 0), t); };
    const Relation& m2 = *find_relation("M2");
    Case smallest;
    rc::detail::TestParams params;
    params.seed = 12;
    const auto result = rc::detail::checkTestable(
        [&] {
            const Case c = gen::written_case(claim);
            const auto k = check(m2, tensors_of(c), claim, faulty, 3);
            if (k.held == Held::broken) {
                smallest = c;
                RC_FAIL(lines(m2, "K", c, k));
            }
        },
        rc::detail::TestMetadata(), params);
    rc::detail::FailureResult failure;
    ASSERT_TRUE(result.match(failure));
    EXPECT_LE(smallest.d, 2) << failure.description;
    Case again;
    ASSERT_FALSE(parse(print(smallest), again));
    EXPECT_EQ(check(m2, tensors_of(again), claim, faulty, 3).held, Held::broken);
    EXPECT_NE(failure.description.find("ulpgate replay K " + print(smallest)), std::string::npos) << failure.description;
}

TEST(Relations, ARowWrittenOutIsThatRow) {
    const auto c = case_of("q_a_layernorm/bf16/33/contract=cast_first,w=f32,residual=rounded/profile=random_bits/rows=5/seed=4");
    const Tensors t = tensors_of(c);
    for (std::int64_t row = 0; row < 5; ++row) {
        const auto back = case_of(written_out(t, c.claim, row));
        const Tensors one = tensors_of(back);
        EXPECT_EQ(one.hash(), back.h);
        for (const char* name : {"x", "residual"})
            for (std::int64_t j = 0; j < 33; ++j)
                EXPECT_EQ(one.find(name)->word(j), t.find(name)->word(t.find(name)->row_at(row) + j)) << name << row << j;
    }
}

}  // namespace
}  // namespace ulpgate
