#include "properties/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/judge/diagnosis.hpp"
#include "properties/judge/hypothesis.hpp"
#include "properties/judge/measure.hpp"
#include "properties/judge/query_judge.hpp"
#include "properties/judge/rows.hpp"
#include "properties/judge/sight.hpp"
#include "reference/admissible/row_set.hpp"

namespace ulpgate {
namespace judging {
namespace {

std::optional<Verdict> verdict_of(Event e) {
    switch (e) {
        case Event::ok:
            return std::nullopt;
        case Event::refused:
            return Verdict::refused;
        case Event::corrupted:
            return Verdict::corrupted;
        case Event::unstable:
            return Verdict::unstable;
        case Event::hung:
            return Verdict::hung;
        case Event::unavailable:
            return Verdict::skipped;
        case Event::failed:
        case Event::crashed:
        case Event::not_loaded:
            break;
    }
    return Verdict::crashed;
}

// Contracts held against every row of a case.
class Trial {
  public:
    Trial(Rows& rows, double eps) : rows_(rows), eps_(eps) {}

    void add(const Contract& c) { hypotheses_.add(c); }
    bool has(const Contract& c) const {
        return std::any_of(results.begin(), results.end(),
                           [&](const Candidate& r) { return r.contract == c; });
    }
    void run();

    const std::vector<Hypothesis>& hypotheses() const { return hypotheses_.all; }
    RowView view(std::size_t h, std::int64_t row) {
        const Hypothesis& hyp = hypotheses_.all[h];
        return {&hyp, &set(hyp.statistic, row), rows_.normalised(hyp.contract.residual), rows_.w()};
    }
    std::optional<std::size_t> first_fit() const {
        for (std::size_t h = 0; h < results.size(); ++h)
            if (results[h].fits && unsupported[h].empty()) return h;
        return std::nullopt;
    }
    // The one that explained most rows.
    std::size_t last_standing() const {
        std::size_t best = 0;
        for (std::size_t h = 1; h < results.size(); ++h)
            if (results[h].rows > results[best].rows) best = h;
        return best;
    }

    std::vector<Candidate> results;        // by hypothesis
    std::vector<std::string> unsupported;  // by hypothesis: "" or the field without a proof

  private:
    const StatisticSet& set(std::size_t statistic, std::int64_t row);
    Rows& rows_;
    double eps_;
    Hypotheses hypotheses_;
    std::vector<std::vector<std::optional<StatisticResult>>> sets_;
};

const StatisticSet& Trial::set(std::size_t statistic, std::int64_t row) {
    auto& slot = sets_[statistic][static_cast<std::size_t>(row)];
    if (!slot) {
        const Contract& c = hypotheses_.statistics[statistic];
        slot = statistic_set(c, rows_.statistic_input(c.residual), eps_);
    }
    return slot->set;
}

void Trial::run() {
    const auto n = static_cast<std::size_t>(rows_.rows());
    const auto& all = hypotheses_.all;
    sets_.assign(hypotheses_.statistics.size(), std::vector<std::optional<StatisticResult>>(n));
    unsupported.assign(all.size(), "");
    for (const Hypothesis& h : all) results.push_back({h.contract});
    std::size_t open = all.size();
    for (std::int64_t row = 0; row < rows_.rows() && open; ++row) {
        rows_.load(row);
        std::vector<std::optional<StatisticResult>> cores(hypotheses_.statistics.size());
        for (std::size_t h = 0; h < all.size(); ++h) {
            Candidate& r = results[h];
            if (!r.fits || !unsupported[h].empty()) continue;
            const Contract& statistic = hypotheses_.statistics[all[h].statistic];
            auto& core = cores[all[h].statistic];
            if (!core) core = statistic_core(statistic, rows_.statistic_input(statistic.residual), eps_);
            unsupported[h] = core->unsupported;
            if (!unsupported[h].empty()) {
                --open;
                continue;
            }
            const auto within = [&](const StatisticSet& s) {
                return reproduce_within(*all[h].piece, all[h].types, rows_.normalised(all[h].contract.residual), rows_.w(), rows_.y(), s);
            };
            RowSet s = within(core->set);  // what most rows need
            if (!s.any) s = within(set(all[h].statistic, row));
            if (s.any) {
                ++r.rows;
                r.outputs += rows_.width();
                continue;
            }
            r.fits = false;
            r.row = row;
            r.col = s.col;
            --open;
        }
    }
}

class Judge {
  public:
    Judge(const Tensors& t, const Outcome& o, const Claim& claim)
        : t_(t), o_(o), rows_(t, o), claimed_(rows_, t.eps), claim_(claim) {}
    Judgement run();
    bool inadmissible();

  private:
    bool prepare();
    bool residual_written();
    void fail();
    void unsupported();
    void measure(bool passed);
    std::vector<RowView> claim_at(std::size_t first, std::int64_t row);

    const Tensors& t_;
    const Outcome& o_;
    Rows rows_;
    Trial claimed_;
    Claim claim_;
    Judgement j_;
};

// Reads the claim; false where there is nothing to hold the outputs to.
bool Judge::prepare() {
    std::string why;
    for (Contract& c : claim_) {
        c.x = t_.contract.x;
        c.w = t_.contract.w;
        c.y = t_.contract.y;
        c.res = t_.contract.res;
        if (const std::string no = not_judged(c, rows_.has_residual()); !no.empty()) {
            why = no;
            continue;
        }
        if (c.map == Map::none) {
            j_.inferred = true;
            for (const Contract& k : candidates(c)) claimed_.add(k);
        } else {
            claimed_.add(c);
        }
    }
    if (!claimed_.hypotheses().empty()) return true;
    j_.verdict = Verdict::unsupported;
    j_.what = why.empty() ? "an empty claim" : why;
    return false;
}

bool Judge::residual_written() {
    if (!rows_.has_residual()) return true;
    Witness w;
    for (std::int64_t row = 0; row < rows_.rows(); ++row) {
        rows_.load(row);
        if (rows_.residual_mismatch(w) < 0) continue;
        const int digits = bytes(t_.contract.res) * 2;
        j_.verdict = Verdict::inadmissible;
        j_.witness = w;
        j_.what = fmt::format("row {} col {}  residual_out   allowed {:0{}x}   got {:0{}x}", w.row, w.col,
                              w.allowed_lo, digits, w.got, digits);
        j_.reason = "residual_out is x + residual, rounded once to its type";
        return false;
    }
    return true;
}

std::vector<RowView> Judge::claim_at(std::size_t first, std::int64_t row) {
    std::vector<RowView> views{claimed_.view(first, row)};
    for (std::size_t h = 0; h < claimed_.hypotheses().size();
         ++h)  // inferred: only what still explains the case
        if (h != first && claimed_.unsupported[h].empty() && (!j_.inferred || claimed_.results[h].fits))
            views.push_back(claimed_.view(h, row));
    return views;
}

void Judge::unsupported() {
    j_.verdict = Verdict::unsupported;
    double worst = 0;
    std::int64_t impossible = -1;
    for (std::int64_t row = 0; row < rows_.rows() && impossible < 0; ++row) {
        rows_.load(row);
        const RowView v = claimed_.view(0, row);
        const RowSet s = reproduce(*v.hypothesis->piece, v.hypothesis->types, v.x, v.w, rows_.y());
        if (!s.any) impossible = row;
        Measurer one(v.hypothesis->contract, rows_.w(), t_.eps);
        one.row(rows_, row, s, v.hypothesis->piece->by, false);
        worst = std::max(worst, one.measure.worst_r_ulp32);
        j_.measure.merge(one.measure);
    }
    j_.what = impossible < 0 ? fmt::format("r off by {:.3g} ulp32", worst)
                             : fmt::format("row {}: no one r gives it", impossible);
    j_.reason = claimed_.unsupported[0] + ": no proven slack";
}

void Judge::fail() {
    const std::size_t h = claimed_.last_standing();
    const std::int64_t row = claimed_.results[h].row;
    rows_.load(row);
    const Diagnosis d = diagnose(claimed_.view(h, row), rows_.y(), row);
    j_.verdict = Verdict::inadmissible;
    j_.witness = d.witness;
    j_.what = d.witness.text(claimed_.hypotheses()[h].contract);
    j_.reason = d.reason;

    Trial others(rows_, t_.eps);
    for (const Contract& c : claim_)
        for (const Contract& base : {c, widened(c)})
            for (const Contract& k : candidates(base)) others.add(k);
    others.run();
    bool explained = false;
    for (const Candidate& c : others.results) {
        if (claimed_.has(c.contract)) continue;
        explained = explained || c.fits;
        j_.candidates.push_back(c);
    }
    j_.incoherent = d.incoherent && !explained;
    if (j_.inferred)
        j_.reason = "no contract explains it; nearest " + print(claimed_.hypotheses()[h].contract, false) +
                    ": " + d.reason;
}

// What of the scalars that give a row lies in the claim's interval.
RowSet within(RowSet s, const StatisticSet& set) {
    s.lo = std::max(s.lo, set.lo);
    s.hi = std::min(s.hi, set.hi);
    s.any = s.any && set.interval && s.lo <= s.hi;
    return s;
}

void Judge::measure(bool passed) {
    const std::size_t h = claimed_.first_fit().value_or(claimed_.last_standing());
    const Hypothesis& hyp = claimed_.hypotheses()[h];
    Measurer m(hyp.contract, rows_.w(), t_.eps);
    // The kernel may be any member that fits: what is seen must be seen of each.
    std::vector<std::pair<std::size_t, Observer>> eyes;
    for (std::size_t k = 0; passed && k < claimed_.results.size(); ++k)
        if (claimed_.results[k].fits && claimed_.unsupported[k].empty())
            eyes.emplace_back(k, Observer(claimed_.hypotheses()[k].contract, t_.eps, rows_.width()));
    for (std::int64_t row = 0; row < rows_.rows(); ++row) {
        rows_.load(row);
        const auto views = claim_at(h, row);
        const RowView& v = views.front();
        const RowSet all = reproduce(*hyp.piece, hyp.types, v.x, v.w, rows_.y()),
                     allowed = within(all, *v.set);
        // Where the sum may overflow, a row that only the overflow explains is no error of the kernel.
        const bool overflowed = v.set->spec_limit || (passed && v.set->interval && !allowed.any);
        m.row(rows_, row, all, hyp.piece->by, overflowed);
        m.measure.spec_limit_rows += v.set->spec_limit;
        if (!allowed.any && claimed_.results[h].row >= 0) m.outside(rows_, views);
        for (auto& [k, eye] : eyes) {
            const Hypothesis& o = claimed_.hypotheses()[k];
            const auto seen = claim_at(k, row);
            const RowSet fit = k == h ? all : reproduce(*o.piece, o.types, seen[0].x, seen[0].w, rows_.y());
            eye.row(seen, within(fit, *seen[0].set), rows_.statistic_input(o.contract.residual));
        }
    }
    if (Witness& w = m.measure.worst; w.row >= 0) {
        rows_.load(w.row);
        const ElementSet e =
            claimed_.view(h, w.row).columns(static_cast<std::size_t>(w.col), 1).elements()[0];
        w.allowed_lo = e.lo;
        w.allowed_hi = e.hi;
    }
    j_.measure = m.measure;
    for (std::size_t k = 0; k < eyes.size(); ++k)
        j_.sight = k ? common(j_.sight, eyes[k].second.finish()) : eyes[k].second.finish();
}

Judgement Judge::run() {
    j_.findings = o_.findings;
    if (const auto v = verdict_of(o_.event)) {
        j_.verdict = *v;
        j_.what = o_.what;
        return j_;
    }
    if (!rows_.error().empty()) {
        j_.verdict = t_.op->abi == Abi::rmsnorm ? Verdict::corrupted : Verdict::unsupported;
        j_.what = rows_.error();
        return j_;
    }
    if (!prepare()) return j_;
    const bool written = residual_written();
    claimed_.run();
    j_.candidates = claimed_.results;
    const auto fit = claimed_.first_fit();
    const auto open = std::find_if(claimed_.unsupported.begin(), claimed_.unsupported.end(),
                                   [](const std::string& s) { return !s.empty(); });
    if (!fit && open != claimed_.unsupported.end()) {
        if (written) unsupported();
        return j_;
    }
    if (!fit && written) fail();
    measure(fit && written);
    return j_;
}

bool Judge::inadmissible() {
    if (verdict_of(o_.event) || !rows_.error().empty() || !prepare()) return false;
    if (!residual_written()) return true;
    claimed_.run();
    const auto proven = [](const std::string& unsupported) { return unsupported.empty(); };
    return !claimed_.first_fit() && std::all_of(claimed_.unsupported.begin(), claimed_.unsupported.end(), proven);
}

}  // namespace
}  // namespace judging

bool inadmissible(const Tensors& t, const Outcome& o, const Claim& claim) {
    return t.op->abi == Abi::rmsnorm ? judging::Judge(t, o, claim).inadmissible() : judge(t, o, claim).verdict == Verdict::inadmissible;
}

Judgement judge(const Tensors& t, const Outcome& o, const Claim& claim) {
    Judgement j;
    if (const auto v = judging::verdict_of(o.event); v || t.op->abi == Abi::rmsnorm)
        j = judging::Judge(t, o, claim).run();
    else
        j = judge_query(t, o, claim);
    conclude(j);
    return j;
}

}  // namespace ulpgate
