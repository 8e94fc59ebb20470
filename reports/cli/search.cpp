#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>

#include "fuzz/exhaustive/exhaustive.hpp"
#include "fuzz/search/search.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/base/text.hpp"
#include "reports/budget/budget.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/console/progress.hpp"
#include "reports/console/style.hpp"
#include "reports/run/interrupt.hpp"

namespace ulpgate::cli {
namespace {

using namespace fuzzing;

class OnScreen final : public SearchWatcher {
  public:
    explicit OnScreen(Progress::Kind kind) : kind_(kind) {}
    void better(const std::string& contract, double found, std::int64_t cases) override {
        if (kind_ == Progress::Kind::none) return;
        const std::lock_guard lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        fmt::print(stderr, "{}{}  {:.3f} after {} cases{}", kind_ == Progress::Kind::bar ? "\r\x1b[K" : "", contract, found, cases,
                   kind_ == Progress::Kind::bar ? "" : "\n");
        std::fflush(stderr);
    }
    bool stop() override { return interrupted(); }
    void wipe() const {
        if (kind_ == Progress::Kind::bar) fmt::print(stderr, "\r\x1b[K");
    }

  private:
    Progress::Kind kind_;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point last_{};
};

// Over every row of this width, not the witness alone; inf: not known.
double bound_of(const Searched& s, std::int64_t d) {
    Claim c;
    if (parse(s.contract, c)) return std::numeric_limits<double>::infinity();
    if (s.objective == Objective::r) return r_ulp32_bound(c[0], d);
    if (s.objective == Objective::ulp) return ulp_bound(c[0], d);
    return std::numeric_limits<double>::infinity();
}

void print_entry(const Searched& s, const SearchOptions& o, const Style& style) {
    fmt::print("{} d {}\n", s.contract, o.d);
    if (!(s.found > nothing)) {
        fmt::print("  no row showed anything in {} cases\n", s.cases);
        return;
    }
    fmt::print("  {} {:.3f} {}   searched {}   allowed {} on this row (found / allowed {:.3f})", objective_names[static_cast<std::size_t>(s.objective)],
               s.found, unit_of(s.objective), s.cases, std::isfinite(s.allowed) ? fmt::format("{:.3f}", s.allowed) : "any",
               s.allowed > 0 && std::isfinite(s.allowed) ? s.found / s.allowed : 0.0);
    if (const double b = bound_of(s, o.d); std::isfinite(b)) fmt::print(", {:.1f} on any", b);
    const double rate = static_cast<double>(s.cases) / std::max(s.seconds, 1e-9);
    fmt::print("\n  {:.0f} cases/s on {} thread{}", rate, s.jobs, s.jobs == 1 ? "" : "s");
    if (s.bare_calls > 0) fmt::print(", {:.2f} of the bare kernel call ({:.0f}/s)", rate / s.jobs / s.bare_calls, s.bare_calls);
    fmt::print(", {:.1f} s\n  {:<7} {}\n", s.seconds, "replay", style.bold(fmt::format("ulpgate replay {} {}", shell_word(o.subject), shell_word(s.line))));
}

class EveryWord final : public ExhaustiveWatcher {
  public:
    explicit EveryWord(Progress::Kind kind) : kind_(kind) {}
    void progress(std::int64_t units, std::int64_t of, double rate) override {
        if (kind_ == Progress::Kind::none) return;
        fmt::print(stderr, "{}{} of {} units  {:.0f} M words/s{}", kind_ == Progress::Kind::bar ? "\r\x1b[K" : "", units, of, rate / 1e6,
                   kind_ == Progress::Kind::bar && units < of ? "" : "\n");
        std::fflush(stderr);
    }
    bool stop() override { return interrupted(); }

  private:
    Progress::Kind kind_;
};

void read_shard(const Arguments& a, ExhaustiveOptions& o) {
    const auto text = a.text("shard", "1/1");
    const auto slash = text.find('/');
    if (slash == text.npos || !parse_integer(text.substr(0, slash), o.shard) || !parse_integer(text.substr(slash + 1), o.shards) || o.shards < 1 ||
        o.shard < 1 || o.shard > o.shards)
        throw UsageError(fmt::format("{}: '{}' is not I/N with I from 1 to N", a.where("shard"), text));
    --o.shard;
}

int exhaustive_run(const Arguments& a, Progress::Kind kind) {
    ExhaustiveOptions o;
    o.subject = a.operands[0];
    o.subject_options = subject_options(a);
    o.types = case_filter(a).types;
    o.contract = a.text("contract");
    o.eps = a.number("eps", 1e-6, 0x1p-60, 0x1p60);
    o.folder = a.text("o");
    o.jobs = static_cast<unsigned>(a.integer("jobs", machine_cores(), 1, 1024));
    o.in_process = a.has("in-process");
    for (const auto& text : a.list("gain")) {
        const auto v = read_float(text);
        if (!v) throw UsageError(fmt::format("{}: '{}' is not a number", a.where("gain"), text));
        o.gains.push_back(*v);
    }
    read_shard(a, o);
    if (o.shards > 1 && o.folder.empty()) throw UsageError("--shard needs -o DIR: its file is what report --merge reads");
    catch_interrupts();
    EveryWord watcher(kind);
    const auto r = fuzzing::run_exhaustive(o, watcher);
    if (!r.error.empty()) {
        fmt::print(stderr, "ulpgate: {}: {}{}\n", o.subject, r.skipped ? "SKIPPED: " : "", r.error);
        return r.skipped ? 5 : r.subject.empty() ? 4 : 2;
    }
    fmt::print("{}", fuzzing::text_of(r));
    return r.interrupted ? 130 : r.inadmissible() ? 1 : 0;
}

int search_run(const Arguments& a) {
    const auto color = one_of(a, "color", {"auto", "always", "never"});
    const auto progress = one_of(a, "progress", {"auto", "bar", "counter", "none"});
    check_subject(a.operands[0]);
    if (a.has("exhaustive")) return exhaustive_run(a, progress_kind(progress));
    for (const char* flag : {"gain", "shard", "o"})
        if (a.has(flag)) throw UsageError(fmt::format("{} belongs to --exhaustive", a.where(flag)));
    const CaseFilter filter = case_filter(a);
    SearchOptions o;
    o.subject = a.operands[0];
    o.subject_options = subject_options(a);
    o.objective = *objective_of(one_of(a, "objective", {"r", "outside", "ulp", "eps"}));
    o.d = a.integer("d", 1536, 1, case_width);
    o.types = filter.types;
    o.contract = a.text("contract");
    o.count = a.integer("count", 0, 1, std::int64_t{1} << 50);
    o.seconds = a.number("time", 12, 0.01, 1e9);
    o.seed = filter.seed;
    o.eps = a.number("eps", 1e-6, 0, 1e300);
    o.jobs = static_cast<unsigned>(a.integer("jobs", machine_cores(), 1, 1024));
    o.seeds = filter.probes;
    o.in_process = a.has("in-process");
    catch_interrupts();
    OnScreen screen(progress_kind(progress));
    const auto r = search(o, screen);
    screen.wipe();
    if (r.how == SearchResult::How::not_loaded) return fmt::print(stderr, "ulpgate: {}: did not load: {}\n", o.subject, r.what), 4;
    if (r.how != SearchResult::How::ran) return fmt::print(stderr, "ulpgate: {}: SKIPPED: {}\n", o.subject, r.what), 5;
    bool outside = false;
    for (const auto& s : r.entries) {
        print_entry(s, o, style_for(color, STDOUT_FILENO));
        outside = outside || s.found > s.allowed;
    }
    if (outside) fmt::print("a row lies outside what the claim allows\n");
    return r.interrupted ? 130 : outside ? 1 : 0;
}

constexpr Flag flags[] = {
    {"objective", Takes::one, "WHAT", "r (default): error of r in ulp32; outside: distance outside the set; ulp: of an output; eps"},
    {"d", Takes::one, "D", "the width (default 1536)"},
    {"type", Takes::list, "TYPE", "only these types of x"},
    {"contract", Takes::one, "TEXT", "only the entry with this claim"},
    {"eps", Takes::one, "EPS", "of the rows (default 1e-6)"},
    {"time", Takes::one, "SECONDS", "an entry (default 12)"},
    {"count", Takes::one, "N", "cases an entry instead; the result is then the same on every run with as many jobs"},
    {"seed", Takes::one, "N", "of the search (default 7)"},
    {"no-probes", Takes::nothing, "", "begin with random programs alone, without absorption rows"},
    {"exhaustive", Takes::nothing, "", "instead: every word of the type at d = 1, judged exactly (bf16 and fp16, or --type)"},
    {"gain", Takes::list, "W", "gains of --exhaustive (default: 1, 0x1.96p+0, -0.75, the smallest and the largest)"},
    {"shard", Takes::one, "I/N", "of --exhaustive: the I-th of N parts; ulpgate report --merge makes one of their files"},
    {"o", Takes::one, "DIR", "of --exhaustive: its file, with which a run that was killed goes on"},
    {"in-process", Takes::nothing, "", "call a library of yours in this process too: fast, and a crash ends the search"},
    {"jobs", Takes::one, "N", "threads (default: one a core)"},
    timeout_flag,
    child_env_flag,
    color_flag,
    {"progress", Takes::one, "WHEN", "auto (default: a line on a terminal), bar, counter, none"},
};

}  // namespace

PIECE(Verb, search_worst) = {"search", "SUBJECT", "the worst error of a kernel, with its witness",
    "Climbs over segment programs. What is found is a lower bound and is printed as such (searched N); beside it stands what the\n"
    "contract allows on that row, and on any row of this width. Kernels that were built with ulpgate are called in its own\n"
    "process; others in theirs, some hundred times slower (--in-process).\n"
    "Exit: 0, or 1 where a row lies outside what the claim allows.",
    flags, 1, 1, search_run};

}  // namespace ulpgate::cli
