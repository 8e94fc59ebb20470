#include "reports/bench/report.hpp"

#include <fmt/format.h>
#include <gmp.h>
#include <mpfr.h>

#include <boost/version.hpp>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "reports/run/context.hpp"

namespace ulpgate::bench {
namespace {

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

std::string factor(double v) { return v >= 100 ? fmt::format("{:.0f}", v) : fmt::format("{:.2f}", v); }

std::string verdict(const PeerResult& p) {
    if (p.floor == 0) return "";
    return fmt::format(">= {} {}", factor(p.floor), p.met() ? "met" : "MISSED");
}

}  // namespace

BenchContext bench_context(bool quick) {
    const Context c = machine_context();
    return {c.version, c.compiler, ULPGATE_FLAGS, c.machine, c.isa, c.cpu, c.system, today(), c.cores,
            fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100), mpfr_get_version(), gmp_version,
            ULPGATE_BENCHMARK_VERSION, quick};
}

std::string table_head(const BenchContext& c) {
    return fmt::format("ulpgate {} · {} {} · {} · {} · {} cores · {} · {}\npeers: Boost {}, MPFR {}, GMP {}; Google Benchmark {}\n"
                       "ratios of rates taken in turns in one run: median [all rounds but the outermost on each side]{}\n\n{:<38} {:>9} {:<8} {:<18} {:<22} {:>9} {:>7}  {:<17} {}\n",
                       c.version, c.compiler, c.flags, c.machine, c.cpu, c.cores, c.system, c.date, c.boost, c.mpfr, c.gmp, c.benchmark,
                       c.quick ? "; quick: the numbers mean nothing" : "", "cell", "rate", "", "peer", "its best variant", "rate", "ratio", "spread", "floor");
}

std::string table_line(const CellResult& r) {
    if (!r.skipped.empty()) return fmt::format("{:<38} SKIPPED: {}\n", r.name, r.skipped);
    std::string s, name = r.name, rate = fmt::format("{:>9.4g} {:<8}", r.rate, r.unit);
    for (const PeerResult& p : r.peers) {
        s += fmt::format("{:<38} {:<18} {:<18} {:<22} {:>9.4g} {:>7}  {:<17} {}\n", name, rate, p.name, p.variant, p.rate, factor(p.ratio),
                         fmt::format("[{} .. {}]", factor(p.low), factor(p.high)), verdict(p));
        name = rate = "";
    }
    return s;
}

std::string floors_text(const std::vector<CellResult>& all) {
    int met = 0;
    std::string missed, skipped;
    for (const CellResult& r : all) {
        if (!r.skipped.empty()) skipped += fmt::format("  {}: {}\n", r.name, r.skipped);
        for (const PeerResult& p : r.peers) {
            if (p.floor == 0) continue;
            met += p.met();
            if (!p.met()) missed += fmt::format("  {:<38} {} of {}, floor {}\n", r.name, factor(p.ratio), p.name, factor(p.floor));
        }
    }
    std::string s = fmt::format("\nfloors: {} met\n", met);
    if (!missed.empty()) s += "MISSED\n" + missed;
    if (!skipped.empty()) s += "SKIPPED\n" + skipped;
    return s;
}

std::string to_json(const BenchContext& c, const std::vector<CellResult>& all) {
    using Json = nlohmann::ordered_json;
    const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(fmt::format("{}", v)); };
    Json j = {{"schema", "ulpgate.bench/1"},
              {"context", {{"version", c.version}, {"compiler", c.compiler}, {"flags", c.flags}, {"machine", c.machine}, {"isa", c.isa}, {"cpu", c.cpu}, {"cores", c.cores},
                           {"system", c.system}, {"date", c.date}, {"quick", c.quick},
                           {"peers", {{"boost", c.boost}, {"mpfr", c.mpfr}, {"gmp", c.gmp}, {"benchmark", c.benchmark}}}}},
              {"results", Json::array()}};
    for (const CellResult& r : all) {
        Json cell = {{"cell", r.name}, {"unit", r.unit}, {"skipped", r.skipped.empty() ? Json(nullptr) : Json(r.skipped)}, {"rate", number(r.rate)}, {"rounds", r.rounds}, {"peers", Json::array()}};
        for (const PeerResult& p : r.peers)
            cell["peers"].push_back({{"peer", p.name}, {"variant", p.variant}, {"rate", number(p.rate)}, {"ratio", number(p.ratio)}, {"low", number(p.low)}, {"high", number(p.high)},
                                     {"floor", p.floor == 0 ? Json(nullptr) : Json(p.floor)}, {"met", p.floor == 0 ? Json(nullptr) : Json(p.met())}});
        j["results"].push_back(std::move(cell));
    }
    return j.dump(2) + "\n";
}

}  // namespace ulpgate::bench
