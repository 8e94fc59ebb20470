#include "fuzz/search/climb.hpp"

#include <algorithm>
#include <cmath>

#include "fuzz/sample/space.hpp"

namespace ulpgate::fuzzing {
namespace {

constexpr std::int64_t patience = 12000;

}  // namespace

Climb::Climb(Row& row, const Case& shape, std::uint64_t seed, std::uint64_t worker, bool seeds)
    : row_(row), type_(shape.claim[0].x), d_(shape.d), eps_(shape.eps), rng_(seed, 0x5ea2c4, worker) {
    for (std::size_t k = 0; k < climbers_.size(); ++k) begin(climbers_[k], seeds && k % 2 == 0);
}

bool Climb::step() {
    auto& c = climbers_[rng_.below(static_cast<std::uint32_t>(climbers_.size()))];
    Program p = c.at.program;
    const auto& other = climbers_[rng_.below(static_cast<std::uint32_t>(climbers_.size()))].at.program;
    for (std::uint32_t n = 1 + rng_.below(rng_.below(4) ? 2 : 5); n; --n) mutate_program(p, other, type_, d_, eps_, rng_);
    const double v = row_(p);
    if (v > c.at.value) c.stale = 0;
    else ++c.stale;
    if (v >= c.at.value && v > nothing) c.at = {std::move(p), v};
    const bool better = c.at.value > best.value;
    if (better) best = c.at;
    if (c.stale > patience) {
        if (c.at.value < 0.97 * best.value || rng_.below(4) == 0) begin(c, false);
        if (rng_.below(3) == 0) c.at = best;
        c.stale = 0;
    }
    return better;
}

void Climb::begin(Climber& c, bool absorption) {
    c.at = {};
    for (int tries = 0; tries < 40 && !(c.at.value > nothing); ++tries) {
        Program p = absorption ? absorbed() : draw_program(type_, d_, eps_, rng_);
        const double v = row_(p);
        c.at = {std::move(p), v};
    }
    if (c.at.value > best.value) best = c.at;
}

// One large value a lane, then squares of half its square's ulp.
Program Climb::absorbed() {
    constexpr std::array<std::int64_t, 6> lanes{1, 8, 16, 32, 64, 256};
    Program p;
    const int k = rng_.between(-3, 6);
    p.fill = encode(type_, std::ldexp(1.0, k - 12));
    Segment s;
    s.count = std::min(d_, lanes[rng_.below(lanes.size())]);
    s.words = {encode(type_, std::ldexp(1.0, k))};
    p.segments.push_back(std::move(s));
    return p;
}

}  // namespace ulpgate::fuzzing
