#include "reports/run/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "reference/base/file.hpp"
#include "reference/base/hash.hpp"
#include "reports/run/interrupt.hpp"
#include "reports/run/merge.hpp"
#include "reports/run/names.hpp"
#include "reports/run/smallest.hpp"

namespace ulpgate {
namespace {

constexpr std::int64_t calls_to_reduce = 60;
constexpr int crashes_in_a_group = 3, hangs_in_a_group = 2;

struct Seen {
    Made made;
    Outcome outcome;
    Judgement judgement;
    std::uint64_t hash = 0;
};

// Subject text and case, a line each: what `gate @FILE` reads.
std::string write_sequence(const GroupPlan& plan, std::size_t last) {
    std::string text = "# in this order, in one process: the last one depends on those before it\n";
    for (std::size_t k = 0; k <= last; ++k) text += fmt::format("{} {}\n", plan.subject, print(plan.cases[k]));
    // Named by what it holds: another subject or type of this run has a file of its own.
    Hash hash;
    hash.add(text.data(), text.size());
    const auto path = fmt::format("ulpgate-{}-{}-{:08x}.cases", plan.op, last + 1, hash.value() >> 32);
    return write_file(path, text).empty() ? path : "";
}

class Runner {
  public:
    Runner(const GroupPlan& plan, const SubjectOptions& options, Watcher& watcher, Published& published)
        : plan_(plan), options_(options), watcher_(watcher), published_(published) {
        group_.subject = plan.subject;
        group_.op = plan.op;
        group_.type = plan.claim[0].x;
        group_.claim = plan.claim;
    }

    void run() {
        const auto began = std::chrono::steady_clock::now();
        subject_ = open_subject(plan_.subject, options_);
        const auto started = subject_->start();
        if (started.event == Event::ok) cases();
        else group_.failures.push_back({Verdict::crashed, false, "did not load again: " + started.what, "", {}, "", {}, plan_.claim[0]});
        if (claims_nothing(plan_.claim)) {
            settle_inference();
            hold_to_the_inferred();
        }
        if (!failing_.empty())
            for (auto& p : passed_)
                if (p.c.tensors.sizes[p.c.tensors.op->d] == failing_.front().tensors.sizes[p.c.tensors.op->d]) failing_.push_back(std::move(p.c));
        if (plan_.explain) explain();
        group_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        published_.set(group_);
    }

  private:
    void explain() {
        KernelCall call;
        if (subject_->cases().empty()) call = [this](const Tensors& t) { return subject_->run(plan_.entry, t); };
        name_failure(group_, failing_, call);
        const auto f = std::find_if(group_.failures.begin(), group_.failures.end(), [](const Failure& k) { return k.verdict == Verdict::inadmissible; });
        if (f == group_.failures.end() || !call || interrupted()) return;
        if (const auto least = smallest_failure(group_, options_, calls_to_reduce)) {
            group_.smallest = SmallestRow{least->text, least->nonzero, least->line};
            f->reason += fmt::format("{}smallest: {}", f->reason.empty() ? "" : "; ", least->text);
        }
    }

    void cases() {
        int crashed = 0, hung = 0;
        for (at_ = 0; at_ < plan_.cases.size() && !interrupted(); ++at_) {
            if (crashed >= crashes_in_a_group || hung >= hangs_in_a_group) {
                const auto left = plan_.cases.size() - at_;
                group_.findings.push_back(fmt::format("{} cases left out after {} ended the process", left, crashed + hung));
                for (std::size_t k = 0; k < left; ++k) watcher_.done(plan_.subject);
                return;
            }
            const Case& c = plan_.cases[at_];
            auto seen = one(c);
            if (interrupted()) return;  // the signal may have reached the child
            if (!seen.made.error.empty()) {
                ++group_.unreadable_cases;
                group_.findings.push_back(fmt::format("{}: not run: {}", print(c), seen.made.error));
            } else if (other_tensors(c, seen.hash)) {
                ++group_.other_tensors_cases;
                group_.findings.push_back(fmt::format("{}: refused: its tensors made here have h={:016x}", print(c), seen.hash));
            } else {
                crashed += seen.judgement.verdict == Verdict::crashed;
                hung += seen.judgement.verdict == Verdict::hung;
                take(c, std::move(seen));
                published_.set(group_);
            }
            watcher_.done(fmt::format("{} {} {}", plan_.subject, c.op, c.profile));
        }
    }

    static bool other_tensors(const Case& c, std::uint64_t hash) { return c.h && c.h != hash; }

    Seen one(const Case& c) {
        Seen s;
        s.made = make(c);
        if (!s.made.error.empty()) return s;
        s.hash = s.made.tensors.hash();
        if (other_tensors(c, s.hash)) return s;
        s.outcome = subject_->run(plan_.entry, s.made.tensors);
        s.judgement = judge(s.made.tensors, s.outcome, plan_.claim);
        return s;
    }

    void take(const Case& c, Seen seen) {
        std::vector<bool> fitted;
        for (const auto& k : group_.whole.candidates) fitted.push_back(k.fits);
        merge(group_, {c, seen.hash, seen.judgement});
        for (std::size_t k = 0; k < fitted.size(); ++k)
            if (fitted[k] && !group_.whole.candidates[k].fits) last_excluded_ = {c, group_.whole.candidates[k].contract};
        const auto v = seen.judgement.verdict;
        if (v == Verdict::pass) keep(c, std::move(seen));
        if (!fails(v)) return;
        // By what was seen: a failure that a fresh process does not repeat is kept under another verdict.
        if (std::find(shown_.begin(), shown_.end(), v) == shown_.end()) {
            shown_.push_back(v);
            group_.failures.push_back(confirmed(c, seen));
        }
        if (v == Verdict::inadmissible && failing_.size() < 4) 
            failing_.push_back({std::move(seen.made.tensors), std::move(seen.outcome), seen.judgement.witness.row});
    }

    // A few cases that passed, of as many profiles: a name must give their rows too.
    void keep(const Case& c, Seen seen) {
        const bool another = std::none_of(passed_.begin(), passed_.end(), [&](const Passed& p) { return p.profile == c.profile; });
        if (another && passed_.size() < 8 && c.d == plan_.cases.front().d && c.tokens > 0)
            passed_.push_back({c.profile, {std::move(seen.made.tensors), std::move(seen.outcome)}});
    }

    // Once more in a fresh process, before its replay is printed.
    Failure confirmed(const Case& c, const Seen& seen) {
        const auto& j = seen.judgement;
        Failure f{j.verdict, j.incoherent, j.what, j.reason, j.witness, line_of(c, seen.hash, j.witness.row), {}, seen.made.tensors.contract};
        f.replay = {"ulpgate", "replay", plan_.subject, f.line};
        auto fresh = open_subject(plan_.subject, options_);
        if (fresh->start().event != Event::ok) return f;
        const auto again = judge(seen.made.tensors, fresh->run(plan_.entry, seen.made.tensors), plan_.claim);
        if (fails(again.verdict) || interrupted()) return f;
        f.what = fmt::format("depends on earlier calls: {} after {} others, {} in a fresh process{}{}", name(j.verdict), at_, name(again.verdict),
                             j.what.empty() ? "" : "; ", j.what);
        f.verdict = Verdict::unstable;
        f.incoherent = false;
        if (const auto path = write_sequence(plan_, at_); !path.empty()) f.replay = {"ulpgate", "gate", "@" + path};
        return f;
    }

    // While several contracts fit, what a row shows is what all of them would show. Once one is named, the numbers are its own.
    void hold_to_the_inferred() {
        const auto fit = explaining(group_.whole);
        if (!group_.failures.empty() || !group_.whole.inferred || fit.empty()) return;
        Judgement held;
        for (const Case& c : plan_.cases) {
            if (interrupted()) return;
            const auto made = make(c);
            if (!made.error.empty() || other_tensors(c, made.tensors.hash())) continue;
            merge(held, judge(made.tensors, subject_->run(plan_.entry, made.tensors), {fit.front()}));
        }
        group_.whole.measure = held.measure;
        group_.whole.sight = held.sight;
    }

    void settle_inference() {
        if (!group_.failures.empty() || !group_.whole.inferred || !explaining(group_.whole).empty()) return;
        // Every case fits some contract and no contract fits every case: shown against the one that lasted longest.
        auto [c, contract] = last_excluded_;
        c.claim = {contract};
        const auto made = make(c);
        if (!made.error.empty()) return;
        const auto j = judge(made.tensors, subject_->run(plan_.entry, made.tensors), c.claim);
        Failure f{Verdict::inadmissible, j.incoherent, "no contract fits every case; this one excludes " + print(contract, false), j.reason, j.witness,
                  line_of(c, made.tensors.hash(), j.witness.row), {}, made.tensors.contract};
        f.replay = {"ulpgate", "replay", plan_.subject, f.line};
        group_.failures.push_back(std::move(f));
    }

    const GroupPlan& plan_;
    const SubjectOptions& options_;
    Watcher& watcher_;
    Published& published_;
    std::unique_ptr<Subject> subject_;
    Group group_;
    std::size_t at_ = 0;
    std::pair<Case, Contract> last_excluded_;
    struct Passed {
        std::string profile;
        FailingCase c;
    };
    std::vector<Verdict> shown_;
    std::vector<FailingCase> failing_;
    std::vector<Passed> passed_;
};

}  // namespace

void run_group(const GroupPlan& plan, const SubjectOptions& options, Watcher& watcher, Published& published) {
    Runner(plan, options, watcher, published).run();
}

}  // namespace ulpgate
