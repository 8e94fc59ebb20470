#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "fuzz/sample/space.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::fuzzing {
namespace {

Space space(bool probes) {
    std::vector<EntryInfo> entries;
    for (const char* text : {"bf16,cast_first", "fp16,f32_gain,gain=one_plus", "f32,cast_first,residual=rounded", "bf16,cast_first,gain=none", "bf16,cast_first,w=f32"}) {
        entries.emplace_back();
        entries.back().contract = text;
    }
    entries[1].d_divisor = 8;
    entries[1].d_min = 10;
    Space s = space_of(entries);
    s.probes = probes;
    return s;
}

RC_GTEST_PROP(Sample, EveryDrawnAndChangedCaseIsOneThatCanBeSaidAndMade, (std::uint64_t seed, bool probes)) {
    const Space s = space(probes);
    Rng r(seed, 1, 2);
    const auto& e = s.entries[r.below(static_cast<std::uint32_t>(s.entries.size()))];
    Case c = draw_case(s, e, r), other = draw_case(s, e, r);
    for (int n = 0; n < 20; ++n) {
        RC_LOG() << print(c) << '\n';
        Case again;
        RC_ASSERT(!parse(print(c), again));
        RC_ASSERT(again == c);
        RC_ASSERT(make(c).error.empty());
        RC_ASSERT(c.d >= e.d_min && c.d % e.d_divisor == 0);
        RC_ASSERT(c.d * c.tokens <= (c.tokens < 64 ? s.elements : s.batch_elements));
        if (!probes && !c.profile.empty()) RC_ASSERT(!find_profile(c.profile)->probe);
        c = mutate_case(s, e, c, other, r);
    }
}

// What is drawn is spread over everything that can be.
TEST(Sample, ReachesEveryChoice) {
    const Space s = space(true);
    std::set<std::string> profiles_seen, gains;
    std::set<std::int64_t> widths;
    std::map<std::size_t, int> segments;
    int strided = 0, specials = 0, programs = 0, tiny = 0, batches = 0, wide_batches = 0;
    Rng r(3, 1, 2);
    for (int n = 0; n < 6000; ++n) {
        const Case c = draw_case(s, s.entries[static_cast<std::size_t>(n) % s.entries.size()], r);
        profiles_seen.insert(c.profile);
        gains.insert(c.gain);
        widths.insert(c.d);
        strided += c.ld > 0;
        batches += c.tokens >= 256;
        wide_batches += c.tokens >= 256 && c.d >= 512;
        programs += c.program.fill.has_value();
        if (!c.program.fill) continue;
        ++segments[c.program.segments.size()];
        const float fill = decode(c.claim[0].x, *c.program.fill);
        specials += !std::isfinite(fill);
        tiny += std::isfinite(fill) && fill != 0 && std::fabs(fill) < 0x1p-7f;
    }
    EXPECT_EQ(profiles_seen.size(), profiles::all().size() + 1);
    EXPECT_GE(gains.size(), 8u);
    EXPECT_GT(widths.size(), 100u);
    for (std::size_t k = 0; k <= 12; ++k) EXPECT_GT(segments[k], 100) << k;
    EXPECT_GT(strided, 300);
    EXPECT_GT(specials, 20);
    EXPECT_GT(tiny, 200);
    EXPECT_GT(batches, 40);
    EXPECT_GT(wide_batches, 6);
    EXPECT_NEAR(programs, 3000, 300);
}

TEST(Sample, LeavesOutWhatItCannotDraw) {
    std::vector<EntryInfo> entries(2);
    entries[0].contract = "bf16,cast_first";
    entries[0].d_min = 100000;
    entries[1].contract = "bf16,cast_first";
    entries[1].abi = Abi::mla_query;
    const Space s = space_of(entries);
    EXPECT_TRUE(s.entries.empty());
    EXPECT_EQ(s.left_out.size(), 2u);
}

}  // namespace
}  // namespace ulpgate::fuzzing
