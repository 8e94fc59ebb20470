#include "fuzz/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <thread>

#include "fuzz/campaign/features.hpp"
#include "fuzz/campaign/name.hpp"
#include "fuzz/campaign/state.hpp"
#include "impls/subject/build.hpp"

namespace ulpgate::fuzzing {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t smallest_generation = 32, largest_generation = 1024;
constexpr std::size_t largest_corpus = 4096;
constexpr std::int64_t most_crashes = 16, most_hangs = 2;  // of an entry, before it is left alone

struct Ran {
    std::size_t entry = 0;
    Case input;
    std::string kind;
    Verdict verdict = Verdict::skipped;
    std::vector<std::uint64_t> features;
    double r_ulp32 = 0, ulp = 0, seconds = 0;
};

class Campaign {
  public:
    Campaign(const CampaignOptions& o, CampaignWatcher& w) : o_(o), watcher_(w) {}
    CampaignResult run();

  private:
    bool prepare();
    bool resume();
    std::int64_t size_of_generation() const {
        const std::int64_t n = std::min(largest_generation, smallest_generation << std::min<std::int64_t>(result_.state.generation / 2, 8));
        return o_.count ? std::min(n, o_.count - result_.state.cases) : n;
    }
    bool over() const {
        const auto& s = result_.state;
        return (o_.count && s.cases >= o_.count) || elapsed() >= o_.seconds || live_.empty() ||
               (o_.most_findings && s.findings.size() >= o_.most_findings);
    }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
    std::vector<Ran> in_parallel(std::int64_t n, const std::function<Ran(Subject&, std::int64_t)>& one);
    Ran drawn(Subject&, std::int64_t number) const;
    Ran run_one(Subject&, std::size_t entry, Case) const;
    void begin_again();
    void take(std::int64_t number, Ran&);
    void fail(std::int64_t number, const Ran&);
    void drop_what_dies(const Ran&);
    void save();

    const CampaignOptions& o_;
    CampaignWatcher& watcher_;
    CampaignResult result_;
    Space space_;
    std::vector<std::size_t> live_;  // entries of the space that are still called
    std::vector<std::unique_ptr<Subject>> workers_;
    std::unique_ptr<Subject> fresh_;
    Clock::time_point began_ = Clock::now(), saved_ = Clock::now();
    double seconds_before_ = 0;
    bool rebuilt_ = false;
};

bool Campaign::prepare() {
    fresh_ = open_subject(o_.subject, o_.subject_options);
    const Outcome started = fresh_->start();
    if (started.event != Event::ok) {
        result_.how = started.event == Event::unavailable ? CampaignResult::How::unavailable : CampaignResult::How::not_loaded;
        result_.what = started.what;
        return false;
    }
    space_ = space_of(fresh_->entries(), o_.types);
    space_.probes = o_.probes;
    space_.d = o_.d;
    result_.left_out = space_.left_out;
    if (space_.entries.empty()) {
        result_.how = CampaignResult::How::nothing_to_fuzz;
        result_.what = "it has no RMSNorm entry of these types";
        return false;
    }
    return resume();
}

bool Campaign::resume() {
    State& s = result_.state;
    if (!o_.folder.empty()) {
        std::error_code ec;
        std::filesystem::create_directories(o_.folder, ec);
        bool found = false;
        if (result_.what = ec ? fmt::format("{}: {}", o_.folder, ec.message()) : read_state(o_.folder, s, found); !result_.what.empty()) {
            result_.how = CampaignResult::How::bad_folder;
            return false;
        }
        if (found && (s.subject != o_.subject || s.seed != o_.seed || s.probes != o_.probes || s.types != o_.types || s.d != o_.d)) {
            result_.how = CampaignResult::How::other_campaign;
            result_.what = fmt::format("{} holds a campaign of {} with --seed {}{}: run with the same flags to go on with it, or give another folder with -o",
                                       o_.folder, s.subject, s.seed, s.probes ? "" : " --no-probes");
            return false;
        }
    }
    const Build build = build_of(o_.subject, o_.subject_options);
    if (!build.error.empty()) {
        result_.how = CampaignResult::How::not_loaded;
        result_.what = build.error;
        return false;
    }
    rebuilt_ = !s.build.empty() && s.build != build.sha1;
    s.build = build.sha1;
    s.subject = o_.subject;
    s.version = fresh_->version();
    s.seed = o_.seed;
    s.probes = o_.probes;
    s.types = o_.types;
    s.d = o_.d;
    result_.cases_before = s.cases;
    seconds_before_ = s.seconds;
    if (rebuilt_) s.dropped.clear();
    for (std::size_t k = 0; k < space_.entries.size(); ++k)
        if (std::find(s.dropped.begin(), s.dropped.end(), print(space_.entries[k].claim)) == s.dropped.end()) live_.push_back(k);
    std::erase_if(s.corpus, [&](CorpusCase& c) {
        if (c.entry < space_.entries.size() && space_.entries[c.entry].claim == c.input.claim) return false;
        const auto entry = entry_of(space_, c.input.claim);
        c.entry = entry.value_or(0);
        return !entry;
    });
    return true;
}

// What was learnt of another build: its findings are run again, its corpus is run first, the rest begins anew.
void Campaign::begin_again() {
    State& s = result_.state;
    const Namer namer(o_.subject, o_.subject_options, space_, o_.seed, o_.tries);
    std::vector<Finding> all = std::move(s.findings);
    all.insert(all.end(), s.mended.begin(), s.mended.end());
    s.findings.clear();
    s.mended.clear();
    for (auto& f : all) (namer.fails(f) ? s.findings : s.mended).push_back(std::move(f));
    const auto corpus = std::move(s.corpus);
    s.corpus.clear();
    s.features.clear();
    s.records.clear();
    s.seen.clear();
    auto ran = in_parallel(static_cast<std::int64_t>(corpus.size()), [&](Subject& subject, std::int64_t k) {
        const CorpusCase& c = corpus[static_cast<std::size_t>(k)];
        return run_one(subject, c.entry, c.input);
    });
    if (watcher_.stop()) return;
    for (auto& r : ran) take(s.cases++, r);
    const auto unclaimed = std::count_if(s.mended.begin(), s.mended.end(), [](const Finding& f) { return f.unclaimed; });
    result_.rebuilt = fmt::format("the kernel was built again since the last run: of {} findings {} fail still and {} no longer{}; the {} cases of the corpus were run first, "
                                  "records and features begin anew",
                                  all.size(), s.findings.size(), static_cast<std::ptrdiff_t>(s.mended.size()) - unclaimed,
                                  unclaimed ? fmt::format(", {} no entry takes", unclaimed) : "", corpus.size());
}

Ran Campaign::drawn(Subject& subject, std::int64_t number) const {
    Ran ran;
    Rng r(o_.seed, 0xf022, static_cast<std::uint64_t>(number));
    const auto& corpus = result_.state.corpus;
    const bool fresh = corpus.empty() || r.below(4) == 0;
    if (fresh) {
        ran.entry = live_[r.below(static_cast<std::uint32_t>(live_.size()))];
        ran.input = draw_case(space_, space_.entries[ran.entry], r);
    } else {
        // One parent in two among the last that came in.
        const std::size_t last = std::min<std::size_t>(corpus.size(), 32), from = r.below(2) ? corpus.size() - last : 0;
        const CorpusCase& parent = corpus[from + r.below(static_cast<std::uint32_t>(corpus.size() - from))];
        const CorpusCase& other = corpus[r.below(static_cast<std::uint32_t>(corpus.size()))];
        ran.entry = parent.entry;
        const Case& part = other.entry == parent.entry ? other.input : parent.input;
        ran.input = mutate_case(space_, space_.entries[ran.entry], parent.input, part, r);
        if (std::find(live_.begin(), live_.end(), ran.entry) == live_.end()) {
            ran.entry = live_[r.below(static_cast<std::uint32_t>(live_.size()))];
            ran.input = draw_case(space_, space_.entries[ran.entry], r);
        }
    }
    return run_one(subject, ran.entry, std::move(ran.input));
}

Ran Campaign::run_one(Subject& subject, std::size_t entry, Case input) const {
    Ran ran;
    ran.entry = entry;
    ran.input = std::move(input);
    const Made made = make(ran.input);
    if (!made.error.empty()) throw std::runtime_error(fmt::format("{} was drawn and cannot be made: {}", print(ran.input), made.error));
    const SpaceEntry& e = space_.entries[ran.entry];
    const Outcome outcome = subject.run(e.index, made.tensors);
    const Judgement j = judge(made.tensors, outcome, e.claim);
    ran.verdict = j.verdict;
    ran.kind = kind_of(j, made.tensors.contract);
    ran.features = features_of(ran.entry, made.tensors, outcome, j);
    ran.r_ulp32 = j.measure.worst_r_ulp32;
    ran.ulp = j.measure.worst_ulp;
    ran.seconds = elapsed();
    return ran;
}

std::vector<Ran> Campaign::in_parallel(std::int64_t n, const std::function<Ran(Subject&, std::int64_t)>& one) {
    std::vector<Ran> all(static_cast<std::size_t>(n));
    std::atomic<std::int64_t> next{0};
    std::vector<std::exception_ptr> errors(workers_.size());
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < workers_.size(); ++w)
        threads.emplace_back([&, w] {
            try {
                for (std::int64_t k = next++; k < n && !watcher_.stop(); k = next++)
                    all[static_cast<std::size_t>(k)] = one(*workers_[w], k);
            } catch (...) {
                errors[w] = std::current_exception();
                next = n;
            }
        });
    for (auto& t : threads) t.join();
    for (const auto& e : errors)
        if (e) std::rethrow_exception(e);
    return all;
}

void Campaign::take(std::int64_t number, Ran& ran) {
    State& s = result_.state;
    if (ran.verdict == Verdict::refused || ran.verdict == Verdict::skipped) {
        ++s.refused;
        return;
    }
    bool keep = false;
    for (const auto f : ran.features) {
        const auto at = std::lower_bound(s.features.begin(), s.features.end(), f);
        if (at != s.features.end() && *at == f) continue;
        s.features.insert(at, f);
        keep = true;
    }
    if (ran.verdict == Verdict::pass || ran.verdict == Verdict::mistrusted) {
        Record& best = s.records[print(space_.entries[ran.entry].claim)];
        if (std::isfinite(ran.r_ulp32) && ran.r_ulp32 > best.r_ulp32) best.r_ulp32 = ran.r_ulp32, best.r_line = print(ran.input), keep = true;
        if (std::isfinite(ran.ulp) && ran.ulp > best.ulp) best.ulp = ran.ulp, best.ulp_line = print(ran.input), keep = true;
    }
    const bool dead = ran.verdict == Verdict::crashed || ran.verdict == Verdict::hung;
    if (keep && !dead) {
        if (s.corpus.size() >= largest_corpus) s.corpus.erase(s.corpus.begin());
        s.corpus.push_back({ran.entry, ran.input});
    }
    if (!ran.kind.empty()) fail(number, ran);
}

// The first failing case of an entry and kind is looked at, then the second, the fourth, the eighth: most have one cause.
void Campaign::fail(std::int64_t number, const Ran& ran) {
    State& s = result_.state;
    const auto& entry = space_.entries[ran.entry];
    const std::int64_t n = ++s.seen[fmt::format("{} {}", print(entry.claim), ran.kind)];
    drop_what_dies(ran);
    if (n & (n - 1)) return;
    Namer namer(o_.subject, o_.subject_options, space_, o_.seed, o_.tries);
    auto f = namer.name(ran.entry, ran.input, ran.kind, number, s.findings);
    if (!f) return;  // one that is known
    f->seconds = seconds_before_ + ran.seconds;
    f->named_after = elapsed() - ran.seconds;
    s.findings.push_back(*f);
    watcher_.found(*f);
}

void Campaign::drop_what_dies(const Ran& ran) {
    if (ran.verdict != Verdict::crashed && ran.verdict != Verdict::hung) return;
    const auto contract = print(space_.entries[ran.entry].claim);
    const auto n = result_.state.seen[fmt::format("{} {}", contract, ran.kind)];
    if (n < (ran.verdict == Verdict::hung ? most_hangs : most_crashes) || std::erase(live_, ran.entry) == 0) return;
    result_.state.dropped.push_back(contract);
    result_.left_out.push_back(fmt::format("{}: after {} cases that {}", contract, n, name(ran.verdict)));
}

void Campaign::save() {
    if (o_.folder.empty()) return;
    result_.state.seconds = seconds_before_ + elapsed();
    if (const auto e = write_state(o_.folder, result_.state); !e.empty()) throw std::runtime_error(e);
    saved_ = Clock::now();
}

CampaignResult Campaign::run() {
    if (!prepare()) return result_;
    for (unsigned k = 0; k < std::max(1u, o_.jobs); ++k) workers_.push_back(open_subject(o_.subject, o_.subject_options));
    for (auto& w : workers_)
        if (const Outcome started = w->start(); started.event != Event::ok) {
            result_.how = CampaignResult::How::not_loaded;
            result_.what = started.what;
            return result_;
        }
    State& s = result_.state;
    if (rebuilt_) begin_again();
    if (watcher_.stop()) {  // the state on disk is the other build's still
        result_.interrupted = true;
        result_.seconds = elapsed();
        return result_;
    }
    std::size_t findings = s.findings.size();
    save();
    while (!over()) {
        const auto from = Clock::now();
        auto ran = in_parallel(size_of_generation(), [&](Subject& subject, std::int64_t k) { return drawn(subject, s.cases + k); });
        if (watcher_.stop()) {  // an incomplete generation is as if it had not begun
            result_.interrupted = true;
            break;
        }
        const double rate = static_cast<double>(ran.size()) / std::max(1e-9, std::chrono::duration<double>(Clock::now() - from).count());
        std::int64_t number = s.cases;
        for (auto& r : ran) take(number++, r);
        s.cases = number;
        ++s.generation;
        s.seconds = seconds_before_ + elapsed();
        watcher_.progress(s, rate);
        if (s.findings.size() != findings || Clock::now() - saved_ > std::chrono::seconds(1)) save();
        findings = s.findings.size();
    }
    save();
    result_.seconds = elapsed();
    return result_;
}

}  // namespace

CampaignResult run_campaign(const CampaignOptions& o, CampaignWatcher& w) { return Campaign(o, w).run(); }

}  // namespace ulpgate::fuzzing
