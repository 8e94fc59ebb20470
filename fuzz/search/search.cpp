#include "fuzz/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "fuzz/search/climb.hpp"

namespace ulpgate::fuzzing {
namespace {

using Clock = std::chrono::steady_clock;

struct Chosen {
    std::size_t index = 0;
    Claim claim;
};

Case shape_of(const SearchOptions& o, const Chosen& e) {
    Case c;
    c.claim = e.claim;
    c.d = o.d;
    c.eps = o.eps;
    c.program.fill = encode(e.claim[0].x, 1.0f);
    if (e.claim[0].gain != Gain::none) {
        c.gain = o.objective == Objective::ulp ? "random" : "ones";
        if (c.gain == "random") c.seed = o.seed;
    }
    return c;
}

class Search {
  public:
    Search(const SearchOptions& o, SearchWatcher& w, Subject& s, const Chosen& e, bool direct) : o_(o), watcher_(w), subject_(s), entry_(e), direct_(direct) {}

    std::string run(Searched& out) {
        const Case shape = shape_of(o_, entry_);
        const unsigned jobs = direct_ ? std::max(1u, o_.jobs) : 1;
        out.contract = print(entry_.claim);
        out.objective = o_.objective;
        out.jobs = jobs;
        const auto began = Clock::now();
        std::vector<std::thread> threads;
        std::vector<std::string> errors(jobs);
        for (unsigned k = 0; k < jobs; ++k) threads.emplace_back([&, k] { errors[k] = climb(shape, k, jobs, began); });
        for (auto& t : threads) t.join();
        for (const auto& e : errors)
            if (!e.empty()) return e;
        out.seconds = std::chrono::duration<double>(Clock::now() - began).count();
        out.cases = cases_;
        Row row(subject_, entry_.index, shape, o_.objective, direct_);
        plainer(row);
        out.found = best_.value;
        if (best_.value > nothing) {
            out.allowed = row.allowed(best_.program);
            Case c = row.case_of(best_.program);
            const Made made = make(c);
            c.h = made.tensors.hash();
            out.line = print(c);
        }
        out.bare_calls = row.bare_calls_a_second();
        return "";
    }

  private:
    // Without the segments that nothing is lost by.
    void plainer(Row& row) {
        for (std::size_t k = best_.program.segments.size(); k-- > 0;) {
            Program p = best_.program;
            p.segments.erase(p.segments.begin() + static_cast<std::ptrdiff_t>(k));
            if (const double v = row(p); v >= best_.value) best_ = {std::move(p), v};
        }
    }

    std::string climb(const Case& shape, unsigned worker, unsigned jobs, Clock::time_point began) {
        Row row(subject_, entry_.index, shape, o_.objective, direct_);
        if (!row.error().empty()) return row.error();
        Climb climb(row, shape, o_.seed, worker, o_.seeds);
        const std::int64_t share = o_.count ? (o_.count + worker) / jobs : 0;
        constexpr std::int64_t block = 256;
        std::int64_t done = 0;
        for (;;) {
            const std::int64_t n = share ? std::min(block, share - done) : block;
            for (std::int64_t k = 0; k < n; ++k)
                if (climb.step()) improved(worker, climb.best);
            done += n;
            cases_ += n;
            if ((share && done >= share) || watcher_.stop()) break;
            if (!share && std::chrono::duration<double>(Clock::now() - began).count() >= o_.seconds) break;
        }
        improved(worker, climb.best);
        return "";
    }

    // The better one; of two alike that of the lower worker, so that a count gives one result.
    void improved(unsigned worker, const Best& b) {
        const std::lock_guard lock(mutex_);
        if (b.value < best_.value || (b.value == best_.value && worker >= best_worker_)) return;
        const bool higher = b.value > best_.value;
        best_ = b;
        best_worker_ = worker;
        if (higher) watcher_.better(print(entry_.claim), b.value, cases_);
    }

    const SearchOptions& o_;
    SearchWatcher& watcher_;
    Subject& subject_;
    const Chosen& entry_;
    bool direct_;
    std::mutex mutex_;
    Best best_;
    unsigned best_worker_ = ~0u;
    std::atomic<std::int64_t> cases_{0};
};

std::vector<Chosen> choose(const SearchOptions& o, const Subject& s) {
    std::vector<Chosen> out;
    for (std::size_t k = 0; k < s.entries().size(); ++k) {
        Chosen c{k, {}};
        if (s.entries()[k].abi != Abi::rmsnorm || parse(s.entries()[k].contract, c.claim)) continue;
        const Contract& k0 = c.claim[0];
        if (!o.types.empty() && std::find(o.types.begin(), o.types.end(), name(k0.x)) == o.types.end()) continue;
        if (!o.contract.empty()) {
            if (print(c.claim) == o.contract || s.entries()[k].contract == o.contract) out.push_back(std::move(c));
            continue;
        }
        if (k0.residual != Residual::none || k0.quant != Quant::none || k0.rstd != Emit::none || k0.beta != Given::none) continue;
        const bool needs_r = o.objective == Objective::r || o.objective == Objective::eps;
        if (needs_r && !shows_r(k0)) continue;
        const bool have = std::any_of(out.begin(), out.end(), [&](const Chosen& h) { return h.claim[0].x == k0.x; });
        if (!have) out.push_back(std::move(c));
    }
    return out;
}

}  // namespace

double measured(Subject& s, std::size_t entry, const Case& c, Objective objective) {
    Case shape = c;
    shape.h = 0;
    shape.row = -1;
    Row row(s, entry, shape, objective, false);
    return row.error().empty() ? row(c.program) : nothing;
}

SearchResult search(const SearchOptions& o, SearchWatcher& w) {
    SearchResult r;
    const bool direct = o.in_process || library_of(o.subject, o.subject_options).own;
    const auto subject = direct ? open_in_process(o.subject, o.subject_options) : open_subject(o.subject, o.subject_options);
    if (const Outcome started = subject->start(); started.event != Event::ok) {
        r.how = started.event == Event::unavailable ? SearchResult::How::unavailable : SearchResult::How::not_loaded;
        r.what = started.what;
        return r;
    }
    const auto chosen = choose(o, *subject);
    if (chosen.empty()) {
        r.how = SearchResult::How::no_entry;
        r.what = !o.contract.empty() ? fmt::format("no entry claims {}", o.contract)
                                     : "no entry whose outputs show r (an f32 output that is rounded once); --objective ulp and outside take the others too";
        return r;
    }
    for (const Chosen& e : chosen) {
        Searched s;
        if (r.what = Search(o, w, *subject, e, direct).run(s); !r.what.empty()) {
            r.how = SearchResult::How::no_entry;
            return r;
        }
        r.entries.push_back(std::move(s));
        if (w.stop()) {
            r.interrupted = true;
            break;
        }
    }
    return r;
}

}  // namespace ulpgate::fuzzing
