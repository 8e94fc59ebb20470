#include "fuzz/exhaustive/exhaustive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>

#include "fuzz/exhaustive/decide.hpp"
#include "impls/subject/build.hpp"
#include "impls/subject/in_process.hpp"
#include "properties/cases/case.hpp"
#include "properties/judge/hypothesis.hpp"
#include "properties/profiles/gains.hpp"
#include "reference/base/file.hpp"
#include "reference/admissible/row_set.hpp"
#include "reference/formats/convert.hpp"
#include "reference/formats/ulp.hpp"

namespace ulpgate::fuzzing {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t unit_words = std::int64_t{1} << 24, batch = 1 << 16;
constexpr std::size_t most_failing = 4;

struct Entry {
    std::size_t index = 0;
    Claim claim;
    std::int64_t words = 0;  // of x's type
};

std::int64_t units_of(const Entry& e) { return (e.words + unit_words - 1) / unit_words; }

// Rows of one column of the words from `first` on.
class Rows {
  public:
    Rows(Subject& s, const Entry& e, double gain, double eps, bool direct) : subject_(s), entry_(e), eps_(eps) {
        Case c;
        c.claim = e.claim;
        c.d = 1;
        c.tokens = std::min(batch, e.words);
        c.eps = eps;
        c.program.fill = 0;
        if (e.claim[0].gain != Gain::none) c.w_program.fill = encode(e.claim[0].w, gain), gain_ = decode(e.claim[0].w, *c.w_program.fill);
        for (const Contract& k : e.claim) {
            if (k.map != Map::none) hypotheses_.add(k);
            else
                for (const Contract& one : judging::candidates(k)) hypotheses_.add(one);
        }
        failed_.resize(hypotheses_.all.size());
        failing_.resize(failed_.size());
        real_gain_ = e.claim[0].gain == Gain::one_plus     ? 1 + gain_
                     : e.claim[0].gain == Gain::one_plus_t ? round_to(e.claim[0].x, 1 + gain_)
                                                           : gain_;
        tensors_ = make(c).tensors;
        for (std::size_t k = 0; k < tensors_.all.size(); ++k) {
            if (tensors_.all[k].spec->name == "x") x_ = k;
            if (tensors_.all[k].spec->name == "y") y_ = k;
        }
        if (direct) call_ = std::make_unique<DirectCall>(s, e.index, tensors_);
        xs_.resize(static_cast<std::size_t>(c.tokens));
        ys_.resize(xs_.size());
    }

    void run(std::int64_t first, Unit& u) {
        const Type t = tensors_.all[x_].type;
        std::byte* in = call_ ? call_->data(x_) : tensors_.all[x_].storage.data();
        const std::int64_t n = static_cast<std::int64_t>(xs_.size());
        for (std::int64_t k = 0; k < n; ++k) put(in, t, k, static_cast<std::uint32_t>(first + k));
        u.words += n;
        const Type y = tensors_.all[y_].type;
        Outcome o;
        if (call_) {
            if (!call_->error().empty() || (*call_)() != 0) o.event = Event::refused;
        } else {
            o = subject_.run(entry_.index, tensors_);
        }
        if (o.event == Event::refused) return void(u.refused += n);
        if (o.event != Event::ok) return fail(first, u);
        const std::byte* out = call_ ? call_->data(y_) : o.out[y_].data();
        if (!can_decide(entry_.claim[0], eps_) || entry_.claim.size() > 1) return judge_all(first, out, u);
        decode_words(t, in, xs_);
        decode_words(y, out, ys_);
        Decided d;
        decide(entry_.claim[0], eps_, gain_, xs_, ys_, d);
        if (d.worst_ulp > u.worst_ulp) u.worst_ulp = d.worst_ulp, u.worst = static_cast<std::uint32_t>(first) + d.worst;
        for (const auto k : d.open) judge_word(static_cast<std::uint32_t>(first) + k, get(out, y, k), u);
    }

  private:
    static void put(std::byte* to, Type t, std::int64_t k, std::uint32_t w) { std::memcpy(to + k * bytes(t), &w, static_cast<std::size_t>(bytes(t))); }
    static std::uint32_t get(const std::byte* from, Type t, std::int64_t k) {
        std::uint32_t w = 0;
        std::memcpy(&w, from + k * bytes(t), static_cast<std::size_t>(bytes(t)));
        return w;
    }

    void fail(std::int64_t first, Unit& u) {
        u.inadmissible += static_cast<std::int64_t>(xs_.size());
        if (u.failing.size() < most_failing) u.failing.push_back(static_cast<std::uint32_t>(first));
    }

    void judge_all(std::int64_t first, const std::byte* out, Unit& u) {
        const Type y = tensors_.all[y_].type;
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(xs_.size()); ++k) judge_word(static_cast<std::uint32_t>(first + k), get(out, y, k), u);
    }

    // As judge() does: the row is allowed iff one scalar of the contract's set gives y. One hypothesis must explain every word.
    void judge_word(std::uint32_t word, std::uint32_t output, Unit& u) {
        const Type xt = tensors_.all[x_].type, yt = tensors_.all[y_].type;
        const float x = decode(xt, word), y = decode(yt, output);
        const std::span<const float> gain(&gain_, entry_.claim[0].gain == Gain::none ? 0 : 1);
        ++u.judged;
        for (std::size_t h = 0; h < hypotheses_.all.size(); ++h) {
            const auto& hyp = hypotheses_.all[h];
            const auto s = statistic_set(hypotheses_.statistics[hyp.statistic], {&x, 1}, eps_);
            const bool allowed = s.unsupported.empty() && reproduce_within(*hyp.piece, hyp.types, {&x, 1}, gain, {&y, 1}, s.set).any;
            if (allowed) continue;
            ++failed_[h];
            if (failing_[h].size() < most_failing) failing_[h].push_back(word);
        }
        const auto best = static_cast<std::size_t>(std::min_element(failed_.begin(), failed_.end()) - failed_.begin());
        u.inadmissible = failed_[best];
        u.failing = failing_[best];
        const double xd = static_cast<double>(x), ideal = xd * static_cast<double>(real_gain_) / std::sqrt(xd * xd + eps_);
        const double e = std::fabs(ulp_error(yt, output, ideal));
        const bool limit = !std::isfinite(x) || std::fabs(x) >= 0x1p64f;  // there f32 itself overflows
        if (!limit && std::isfinite(e) && e > u.worst_ulp) u.worst_ulp = e, u.worst = word;
    }

    Subject& subject_;
    const Entry& entry_;
    double eps_;
    float gain_ = 1, real_gain_ = 1;  // as stored, and as the contract uses it
    judging::Hypotheses hypotheses_;
    std::vector<std::int64_t> failed_;  // words by hypothesis
    std::vector<std::vector<std::uint32_t>> failing_;
    Tensors tensors_;
    std::size_t x_ = 0, y_ = 0;
    std::unique_ptr<DirectCall> call_;
    std::vector<float> xs_, ys_;
};

class Exhaustive {
  public:
    Exhaustive(const ExhaustiveOptions& o, ExhaustiveWatcher& w) : o_(o), watcher_(w) {}

    ExhaustiveRun run() {
        if (!prepare()) return run_;
        const auto began = Clock::now();
        const double before = run_.seconds;
        std::vector<std::thread> threads;
        std::vector<std::string> errors(std::max(1u, o_.jobs));
        for (auto& e : errors) threads.emplace_back([&] { e = work(began, before); });
        for (auto& t : threads) t.join();
        for (const auto& e : errors)
            if (!e.empty() && run_.error.empty()) run_.error = e;
        run_.interrupted = watcher_.stop();
        std::sort(run_.done.begin(), run_.done.end(),
                  [](const Unit& a, const Unit& b) { return std::tie(a.entry, a.gain, a.first) < std::tie(b.entry, b.gain, b.first); });
        if (run_.error.empty()) run_.error = save();
        return run_;
    }

  private:
    bool no(std::string why) { return run_.error = std::move(why), false; }

    bool prepare() {
        const Library l = library_of(o_.subject, o_.subject_options);
        direct_ = o_.in_process || l.own;
        subject_ = open();
        if (const Outcome s = subject_->start(); s.event != Event::ok) return run_.skipped = s.event == Event::unavailable, no(s.what);
        if (!(o_.eps >= 0x1p-60 && o_.eps <= 0x1p60)) return no(fmt::format("eps {}: from 2^-60 to 2^60", o_.eps));
        choose();
        if (entries_.empty()) return no("no entry of these types without a residual takes one column");
        run_.subject = o_.subject;
        const Build build = build_of(o_.subject, o_.subject_options);
        if (!build.error.empty()) return no(build.error);
        run_.library = build.sha1;
        run_.gains = o_.gains.empty() ? gains_of(entries_[0].claim[0].w) : o_.gains;
        run_.eps = o_.eps;
        run_.shard = o_.shard;
        run_.shards = o_.shards;
        for (const Entry& e : entries_) {
            run_.contracts.push_back(print(e.claim));
            run_.units += units_of(e) * static_cast<std::int64_t>(run_.gains.size());
        }
        return resume();
    }

    bool resume() {
        if (o_.folder.empty()) return true;
        std::error_code ec;
        std::filesystem::create_directories(o_.folder, ec);
        if (ec) return no(fmt::format("{}: {}", o_.folder, ec.message()));
        const auto path = exhaustive_file(o_);
        if (!std::filesystem::exists(path, ec)) return true;
        ExhaustiveRun earlier;
        if (auto e = read_exhaustive(path, earlier); !e.empty()) return no(e);
        if (earlier.subject != run_.subject || earlier.library != run_.library || earlier.contracts != run_.contracts || earlier.gains != run_.gains ||
            earlier.eps != run_.eps || earlier.shard != run_.shard || earlier.shards != run_.shards)
            return no(fmt::format("{} holds another run (subject {}, or another build of it): give another folder with -o", path, earlier.subject));
        run_.done = earlier.done;
        run_.seconds = earlier.seconds;
        run_.before = static_cast<std::int64_t>(run_.done.size());
        return true;
    }

    std::unique_ptr<Subject> open() const {
        return direct_ ? open_in_process(o_.subject, o_.subject_options) : open_subject(o_.subject, o_.subject_options);
    }

    void choose() {
        const auto wanted = [&](Type t) {
            if (o_.types.empty()) return t == Type::bf16 || t == Type::fp16;
            return std::find(o_.types.begin(), o_.types.end(), name(t)) != o_.types.end();
        };
        for (std::size_t k = 0; k < subject_->entries().size(); ++k) {
            const EntryInfo& info = subject_->entries()[k];
            Entry e{k, {}, 0};
            if (info.abi != Abi::rmsnorm || info.d_min > 1 || info.d_divisor > 1 || parse(info.contract, e.claim)) continue;
            const Contract& c = e.claim[0];
            if (!wanted(c.x) || c.residual != Residual::none || c.quant != Quant::none || c.rstd != Emit::none || c.beta != Given::none) continue;
            if (!o_.contract.empty() && print(e.claim) != o_.contract && info.contract != o_.contract) continue;
            e.words = std::int64_t{1} << 8 * bytes(c.x);
            entries_.push_back(std::move(e));
        }
    }

    bool is_done(const Unit& u) const {
        return std::any_of(run_.done.begin(), run_.done.end(), [&](const Unit& d) { return d.entry == u.entry && d.gain == u.gain && d.first == u.first; });
    }

    // The next unit of this shard that is not done; false: none.
    bool next(Unit& u) {
        const std::lock_guard lock(mutex_);
        for (; next_ < run_.units; ++next_) {
            if (next_ % o_.shards != o_.shard) continue;
            u = at(next_);
            if (!is_done(u)) return ++next_, true;
        }
        return false;
    }

    Unit at(std::int64_t number) const {
        Unit u;
        const auto gains = static_cast<std::int64_t>(run_.gains.size());
        for (u.entry = 0; number >= units_of(entries_[u.entry]) * gains; ++u.entry) number -= units_of(entries_[u.entry]) * gains;
        u.gain = static_cast<std::size_t>(number / units_of(entries_[u.entry]));
        u.first = number % units_of(entries_[u.entry]) * unit_words;
        return u;
    }

    std::string work(Clock::time_point began, double before) {
        const auto subject = open();
        if (const Outcome s = subject->start(); s.event != Event::ok) return s.what;
        for (Unit u; !watcher_.stop() && next(u);) {
            const Entry& e = entries_[u.entry];
            const auto from = Clock::now();
            Rows rows(*subject, e, run_.gains[u.gain], o_.eps, direct_);
            const std::int64_t end = std::min(u.first + unit_words, e.words);
            for (std::int64_t w = u.first; w < end && !watcher_.stop(); w += batch) rows.run(w, u);
            if (watcher_.stop()) break;  // half a unit is none
            u.seconds = std::chrono::duration<double>(Clock::now() - from).count();
            const std::lock_guard lock(mutex_);
            run_.done.push_back(u);
            words_ += u.words;
            const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
            run_.seconds = before + seconds;
            watcher_.progress(static_cast<std::int64_t>(run_.done.size()), (run_.units + o_.shards - 1 - o_.shard) / o_.shards,
                              static_cast<double>(words_) / std::max(seconds, 1e-9));
            if (auto error = save(); !error.empty()) return error;
        }
        return "";
    }

    std::string save() const { return o_.folder.empty() ? "" : write_exhaustive(exhaustive_file(o_), run_); }

    const ExhaustiveOptions& o_;
    ExhaustiveWatcher& watcher_;
    ExhaustiveRun run_;
    std::unique_ptr<Subject> subject_;
    std::vector<Entry> entries_;
    bool direct_ = false;
    std::mutex mutex_;
    std::int64_t next_ = 0, words_ = 0;
};

}  // namespace

std::vector<double> gains_of(Type w) {
    return with_format(w, [w](auto f) {
        return std::vector<double>{1, static_cast<double>(master_probe(w == Type::f32 ? Type::bf16 : w).w), -0.75,
                                   static_cast<double>(f.decode(f.min_subnormal_word)), static_cast<double>(f.decode(f.max_word))};
    });
}

std::int64_t ExhaustiveRun::inadmissible() const {
    std::int64_t n = 0;
    for (const Unit& u : done) n += u.inadmissible;
    return n;
}

ExhaustiveRun run_exhaustive(const ExhaustiveOptions& o, ExhaustiveWatcher& w) { return Exhaustive(o, w).run(); }

}  // namespace ulpgate::fuzzing
