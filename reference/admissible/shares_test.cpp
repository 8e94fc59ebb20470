// How much the set allows: the share of outputs with exactly one allowed value, rows Gaussian, gains uniform in [1/2, 2),
// against an independent program's figures (its own bounds, its own roundings). A row's share depends on where its r falls between
// the thresholds (fp16, d = 7168: 9 points of standard deviation a row), so both means are good to about a point.
#include "reference/admissible/ways_test.hpp"

#include <fmt/format.h>

#include "reference/admissible/element_set.hpp"

namespace ulpgate {
namespace {

// The set widened to the bound by count, which holds without looking at the data.
StatisticSet by_count(StatisticSet s, std::size_t d) {
    const double more = 0.5 * (bound_by_count(unit32, static_cast<std::int64_t>(d) - 1) - s.rho);
    s.lo = static_cast<float>(static_cast<double>(s.lo) * (1 - more));
    s.hi = static_cast<float>(static_cast<double>(s.hi) * (1 + more));
    return s;
}

// Percent of outputs with one allowed word.
double share(Type t, std::size_t d, const char* order, bool count) {
    Claim claim;
    EXPECT_FALSE(parse(std::string(name(t)) + ",cast_first" + order, claim));
    const MapPiece& map = *maps_for(claim[0]).at(0);
    std::int64_t one = 0, all = 0;
    for (std::uint64_t row = 0; row < (t == Type::fp16 && d == 7168 && count ? 400 : 573440 / d); ++row) {
        Rng g(51, d, row);
        Row x(d), w(d);
        for (float& v : x) v = round_to(t, gaussian(g));
        for (float& v : w) v = round_to(t, 0.5f + 1.5f * static_cast<float>(g.below(1u << 23)) * 0x1p-23f);
        StatisticSet s = set_of(print(claim), x, 1e-6);
        if (count) s = by_count(s, d);
        std::vector<ElementSet> sets(d);
        element_sets(map, map_types(claim[0]), x, w, s, sets);
        for (std::size_t j = 0; j < d; ++j) {
            if (x[j] == 0) continue;
            ++all;
            one += sets[j].lo == sets[j].hi;
        }
    }
    return 100 * static_cast<double>(one) / static_cast<double>(all);
}

TEST(Shares, OfOutputsWithOneAllowedValue) {
    const char *any = "", *tree = ",order=cuda_block:256x1";
    struct Published {
        Type t;
        std::size_t d;
        const char* order;
        bool count;
        double percent;
    };
    for (const auto& p : {Published{Type::bf16, 7168, any, true, 93.4}, {Type::bf16, 1536, any, true, 98.6},
                          {Type::bf16, 512, any, true, 99.6}, {Type::bf16, 7168, any, false, 96.7},
                          {Type::bf16, 1536, any, false, 99.1}, {Type::bf16, 512, any, false, 99.8},
                          {Type::bf16, 7168, tree, false, 99.96}, {Type::fp16, 7168, any, true, 43.7},
                          {Type::fp16, 1536, any, true, 87.3}, {Type::fp16, 7168, tree, false, 99.6}}) {
        const double found = share(p.t, p.d, p.order, p.count);
        EXPECT_NEAR(found, p.percent, 1) << name(p.t) << " d " << p.d << p.order;
        RecordProperty(fmt::format("{}_{}{}", name(p.t), p.d, p.count ? "_count" : *p.order ? "_tree" : "_data"),
                       fmt::format("{:.2f}", found));
        fmt::print("{} d {} {}: {:.2f} % ({})\n", name(p.t), p.d, p.count ? "count" : *p.order ? "tree" : "data", found, p.percent);
    }
}

}  // namespace
}  // namespace ulpgate
