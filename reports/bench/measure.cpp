// Rounds of Google Benchmark: in each, the subject and the best variant of every peer are timed one after another, so that what
// disturbs one disturbs all.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>

#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

class Collect final : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& r : runs)
            if (r.run_type == Run::RT_Iteration) seconds[r.run_name.function_name] = r.real_accumulated_time / static_cast<double>(r.iterations);
    }
    std::map<std::string, double> seconds;  // of one run, by registered name
};

// CPU time of this thread and of the processes that work for the side: what else the machine does is left out.
double now(const Side& side) {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec) + (side.elsewhere ? *side.elsewhere : 0);
}

// Enough runs for a round of this length.
std::int64_t iterations(const Side& side, double seconds) {
    side.run();  // warm
    std::int64_t n = 1;
    for (;; n *= 4) {
        const double start = now(side);
        for (std::int64_t k = 0; k < n; ++k) side.run();
        const double each = (now(side) - start) / static_cast<double>(n);
        if (each * static_cast<double>(n) > seconds / 8) return std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds / each));
    }
}

// One side's rate in each round.
using Rates = std::vector<double>;
std::vector<Rates> rounds_of(const std::vector<const Side*>& sides, int rounds, double seconds) {
    for (std::size_t k = 0; k < sides.size(); ++k)
        benchmark::RegisterBenchmark(fmt::format("side{}", k).c_str(), [side = sides[k], batch = iterations(*sides[k], seconds)](benchmark::State& state) {
            for ([[maybe_unused]] auto _ : state) {  // one batch: the clock's own cost disappears
                const double start = now(*side);
                for (std::int64_t n = 0; n < batch; ++n) side->run();
                state.SetIterationTime((now(*side) - start) / static_cast<double>(batch));
            }
        })->Iterations(1)->UseManualTime();
    std::vector<Rates> out(sides.size());
    for (int round = 0; round < rounds; ++round) {
        Collect collect;
        benchmark::RunSpecifiedBenchmarks(&collect, nullptr, ".");
        for (std::size_t k = 0; k < sides.size(); ++k) out[k].push_back(sides[k]->work / collect.seconds.at(fmt::format("side{}", k)));
    }
    benchmark::ClearRegisteredBenchmarks();
    return out;
}

double median(Rates v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

const Side& best_variant(const Peer& peer, bool quick) {
    if (peer.variants.size() == 1) return peer.variants.front();
    std::vector<const Side*> sides;
    for (const Side& s : peer.variants) sides.push_back(&s);
    const auto rates = rounds_of(sides, quick ? 1 : 5, quick ? 1e-4 : 0.01);
    std::size_t best = 0;
    for (std::size_t k = 1; k < sides.size(); ++k)
        if (median(rates[k]) > median(rates[best])) best = k;
    return *sides[best];
}

}  // namespace

CellResult measure(const std::string& name, const Cell& cell, bool quick) {
    CellResult out{name, cell.unit, cell.why_skipped, 0, quick ? 3 : 11, {}};
    if (!cell.why_skipped.empty()) return out;
    if (!cell.fixed.peers.empty()) {
        out.rate = cell.fixed.value * 1e-6;
        out.rounds = 1;
        out.peers = cell.fixed.peers;
        for (auto& p : out.peers) p.rate *= 1e-6;
        return out;
    }
    std::vector<const Side*> sides{&cell.subject};
    std::vector<std::size_t> side_of;  // 0: an asked rate
    for (const Peer& p : cell.peers) {
        side_of.push_back(p.variants.empty() ? 0 : sides.size());
        if (!p.variants.empty()) sides.push_back(&best_variant(p, quick));
    }
    const auto rates = rounds_of(sides, out.rounds, quick ? 1e-4 : 0.02);
    out.rate = median(rates[0]) * 1e-6;
    for (std::size_t k = 0; k < cell.peers.size(); ++k) {
        const Peer& p = cell.peers[k];
        const auto side = side_of[k];
        const Rates& peer = side ? rates[side] : Rates(rates[0].size(), p.asked);
        Rates ratio;
        for (std::size_t r = 0; r < rates[0].size(); ++r) ratio.push_back(rates[0][r] / peer[r]);
        std::sort(ratio.begin(), ratio.end());
        out.peers.push_back({p.name, side ? sides[side]->name : "asked for", median(peer) * 1e-6, median(ratio), ratio[1], ratio[ratio.size() - 2], p.floor});
    }
    return out;
}

bool Request::wanted(const std::string& name) const {
    return filter.empty() || name.find(filter) != name.npos;
}

}  // namespace ulpgate::bench
