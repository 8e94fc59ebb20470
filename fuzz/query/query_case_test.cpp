#include "fuzz/query/query_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "properties/judge/query_judge.hpp"
#include "reference/base/rng.hpp"
#include "reference/query_faults/query_fault.hpp"

namespace ulpgate {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(Rng& r) {
    Bytes b(20 + r.below(40));
    for (auto& v : b) v = static_cast<std::uint8_t>(r.below(256));
    b[0] = 1;
    return b;
}

Judgement judged(const QueryFuzzCase& f, const QueryModel& m) {
    const Made made = f.make();
    EXPECT_EQ(made.error, "") << f.text();
    Outcome o;
    o.out = QueryPath(made.tensors, m).run();
    return judge(made.tensors, o, f.input.claim);
}

// Any bytes are a case that can be made, prints as a line that reads back, and holds for its own model.
TEST(QueryCase, AnyBytesAreACaseThatItsModelKeeps) {
    Rng r(31, 0, 0);
    std::set<std::string> contracts;
    int words = 0, heads = 0;
    for (int k = 0; k < 400; ++k) {
        const QueryFuzzCase f = decode_query_case(random_bytes(r));
        Case again;
        ASSERT_FALSE(parse(print(f.input), again)) << f.text();
        EXPECT_EQ(again, f.input) << f.text();
        const auto j = judged(f, f.model);
        EXPECT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted || j.verdict == Verdict::unsupported) << f.text() << ": " << j.what;
        contracts.insert(print(f.input.claim));
        words += !f.words.empty();
        heads += f.input.op == "head";
    }
    EXPECT_GT(contracts.size(), 200u);
    EXPECT_GT(words, 300);
    EXPECT_GT(heads, 30);
}

TEST(QueryCase, WordsStandWhereTheyAreSaidToStand) {
    // version, type, form, taps, orders, norm, model, shape, eps, rows, profile, seed; then h[3] = NaN
    const Bytes b{1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 2, 0, 7, 0, 0, 0, 0, 3, 0, 0xc0, 0x7f};
    const QueryFuzzCase f = decode_query_case(b);
    EXPECT_EQ(f.text(), "mla_query/bf16/64/contract=cast_first,taps=out/profile=random/rank=16/heads=2/nope=8/rope=4/seed=7 with h[3] = 7fc0");
    const Made made = f.make();
    EXPECT_TRUE(std::isnan(made.tensors.find("h")->value(3)));
    EXPECT_FALSE(std::isnan(made.tensors.find("h")->value(2)));
    const auto j = judged(f, f.model);
    EXPECT_EQ(j.verdict, Verdict::pass) << j.what;
}

TEST(QueryCase, ReadsALineOrTakesItsCharactersAsBytes) {
    const std::string line = "# why\nmla_query/bf16/64/contract=cast_first/profile=massive/bt=2x3/rank=16/heads=2/nope=8/rope=4/seed=7\n";
    const QueryFuzzCase f = decode_query_case({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
    EXPECT_EQ(f.text(), line.substr(6, line.size() - 7));
    for (const std::string other : {"mla_query/bf16/7168/profile=random", "q_a_layernorm/bf16/8/profile=gaussian", "mla query"}) {
        const QueryFuzzCase g = decode_query_case({reinterpret_cast<const std::uint8_t*>(other.data()), other.size()});
        EXPECT_LE(g.input.d, 256) << other;
        EXPECT_EQ(g.make().error, "") << other;
    }
}

// What the target would stop at: every fault of the bank that a small shape shows, on cases drawn from bytes.
TEST(QueryCase, ShowsTheFaultsOfTheBank) {
    for (const char* kind : {"mla.split_order", "mla.no_transpose", "mla.dim_major", "mla.norm_skipped", "mla.latent_not_rounded", "gemm.transposed", "gemm.tail_k", "eps.source"}) {
        const QueryFault* fault = find_query_fault(kind);
        ASSERT_TRUE(fault) << kind;
        Rng r(32, 0, 0);
        bool found = false;
        for (int k = 0; k < 600 && !found; ++k) {
            const QueryFuzzCase f = decode_query_case(random_bytes(r));
            if (f.input.op != "mla_query") continue;
            QueryModel m = f.model;
            fault->change(m);
            found = judged(f, m).verdict == Verdict::inadmissible;
        }
        EXPECT_TRUE(found) << kind;
    }
}

}  // namespace
}  // namespace ulpgate
