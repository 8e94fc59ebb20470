#include "fuzz/codec/codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "properties/profiles/profile.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

RC_GTEST_PROP(Codec, EveryByteStringIsASmallCaseThatReadsBack, ()) {
    const auto bytes = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    const Case c = decode_case(bytes).input;
    RC_LOG() << print(c) << '\n';
    RC_ASSERT(c.d * c.tokens <= case_elements);
    Case again;
    RC_ASSERT(!parse(print(c), again));
    RC_ASSERT(again == c);
    RC_ASSERT(make(c).error.empty());
}

TEST(Codec, NothingIsACaseToo) {
    EXPECT_EQ(print(decode_case({}).input), "q_a_layernorm/bf16/8/contract=cast_first/fill=0");
}

TEST(Codec, ReachesEveryChoice) {
    std::set<std::string_view> contracts, seen_profiles, gains;
    std::set<Type> types;
    std::set<std::int64_t> widths;
    std::map<std::size_t, int> segments;
    int strided = 0, with_gain = 0, residual = 0;
    Rng r(1, 0, 0);
    std::vector<std::string> kept;
    for (int n = 0; n < 20000; ++n) {
        std::vector<std::uint8_t> bytes(r.below(90));
        for (auto& b : bytes) b = static_cast<std::uint8_t>(r.next());
        const FuzzCase f = decode_case(bytes);
        contracts.insert(f.kept.contract);
        types.insert(f.input.claim[0].x);
        widths.insert(f.input.d);
        ++segments[f.input.program.segments.size()];
        strided += f.input.ld > 0;
        with_gain += f.input.w_program.fill.has_value();
        residual += f.input.residual_program.fill.has_value();
        if (const Profile* p = find_profile(f.input.profile)) seen_profiles.insert(p->name);
    }
    std::set<std::string_view> all;
    for (const Kept& k : kept_contracts()) all.insert(k.contract);
    EXPECT_EQ(contracts, all);
    EXPECT_EQ(types.size(), 3u);
    EXPECT_EQ(widths.size(), 16u);
    EXPECT_EQ(seen_profiles.size(), profiles::all().size());
    for (std::size_t k = 0; k <= 8; ++k) EXPECT_GT(segments[k], 100) << k;
    for (const int count : {strided, with_gain, residual}) EXPECT_GT(count, 500);
}

}  // namespace
}  // namespace ulpgate
