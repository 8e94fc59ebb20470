// The order of a diagnosis: rows built for it, the r of each, the fewest changed lines that give all of them, and only then
// built rows that split what is left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/explain/battery.hpp"
#include "properties/explain/hold.hpp"
#include "properties/explain/separate.hpp"

namespace ulpgate {
namespace {

using namespace naming;

// Another map is another contract: found as one.
bool listed(const Fault& f, const Contract& c) { return f.stage != Stage::map && (!f.invisible || f.invisible(c).empty()); }

// The maps of the same tensors that the claim excludes: a kernel may compute one of them.
std::vector<Contract> other_maps(const Claim& claim) {
    std::vector<Contract> out;
    for (const Map map : {Map::cast_first, Map::f32_gain})
        for (const By by : {By::mul, By::div}) {
            Contract c = claim[0];
            c.map = map, c.by = by, c.assoc = Assoc::any;
            const bool claimed = std::any_of(claim.begin(), claim.end(), [&](const Contract& k) { return k.map == map && k.by == by && k.assoc == Assoc::any; });
            const bool same = c.x == Type::f32 && c.y == Type::f32 && std::any_of(claim.begin(), claim.end(), [&](const Contract& k) { return k.by == by; });
            if (!claimed && !(same && map == Map::cast_first)) out.push_back(c);
        }
    return out;
}

class Diagnosis {
  public:
    Diagnosis(const KernelCall& call, const Op& op, const Claim& claim, std::int64_t d) : call_(call), op_(op), claim_(claim), d_(d) {}

    Explanation run(std::span<const FailedCase> cases, std::int64_t rows) {
        std::vector<FailedCase> all(cases.begin(), cases.end());
        tensors_ = battery(op_, claim_[0], d_);
        for (const Tensors& t : tensors_) {
            outcomes_.push_back(call_(t));
            ++out_.calls;
            if (outcomes_.back().event != Event::ok) return stopped(outcomes_.back());
        }
        for (std::size_t k = 0; k < tensors_.size(); ++k) all.push_back({&tensors_[k], &outcomes_[k]});
        given_ = cases.size();
        Evidence evidence(all, std::max<std::int64_t>(rows, tensors_[0].find("x")->rows()));
        e_ = &evidence;
        search();
        out_.rows += static_cast<std::int64_t>(evidence.rows());
        report();
        return out_;
    }

  private:
    Explanation stopped(const Outcome& o) {
        out_.stopped = true;
        out_.unknown = "unknown: the kernel did not answer the rows that were built: " + o.what;
        return out_;
    }

    void search() {
        for (const Contract& c : claim_)
            if (c.map != Map::none)
                for (Model& m : models(c, false)) claimed_.push_back(m);
        for (const Contract& c : other_maps(claim_))
            for (Model& m : models(c, false)) other_.push_back(m);
        hold_all({}, claimed_);
        if (!left_.empty()) return;
        hold_all({}, other_);
        singles(claimed_);
        if (!left_.empty()) return;
        singles(other_);
        pairs(claimed_, false);
        if (left_.empty()) pairs(claimed_, true);
    }

    void singles(const std::vector<Model>& bases) {
        for (const Fault* f : faults::all()) hold_all({f}, bases);
    }
    void pairs(const std::vector<Model>& bases, bool by_column) {
        const auto all = faults::all();
        for (std::size_t a = 0; a < all.size(); ++a)
            for (std::size_t b = a + 1; b < all.size(); ++b)
                if (combine(*all[a], *all[b])) hold_all({all[a], all[b]}, bases, by_column);
    }

    // by_column: only those that look for a column, or only the others.
    void hold_all(const std::vector<const Fault*>& faults, const std::vector<Model>& bases, std::optional<bool> by_column = {}) {
        std::size_t reals = 0;
        for (const Model& base : bases) {
            bool shown = true, sums = false;
            std::vector<std::vector<double>> values;
            reals = 0;
            for (const Fault* f : faults) {
                shown = shown && listed(*f, base.contract);
                Model probe = base;
                apply(*f, probe);
                shown = shown && !(probe.address && base.contract.residual != Residual::none);
                sums = sums || probe.sum != nullptr;
                values.push_back(tried(*f, probe, static_cast<std::size_t>(d_)));
                reals += !f->param.empty() && std::isnan(values.back()[0]);
            }
            if (!shown || reals > 1) continue;
            std::vector<Model> ordered{base};
            if (sums && base.map) {
                ordered.clear();
                Contract c = base.contract;
                for (Model& m : models(c, true))
                    if (m.map == base.map) ordered.push_back(m);
            }
            each_value(faults, ordered, values, by_column);
        }
    }

    void each_value(const std::vector<const Fault*>& faults, const std::vector<Model>& ordered, const std::vector<std::vector<double>>& values, std::optional<bool> by_column) {
        std::vector<double> given(faults.size());
        const std::function<bool(std::size_t)> from = [&](std::size_t k) {
            if (k < faults.size())
                return std::any_of(values[k].begin(), values[k].end(), [&](double v) { return given[k] = v, from(k + 1); });
            for (const Model& base : ordered) {
                Hypothesis h(faults, base, given);
                if (by_column && h.by_column() != *by_column) return false;
                auto no = h.hold(*e_);
                if (!no) return left_.push_back(std::move(h)), true;
                if (faults.size() == 1 && (out_.excluded.empty() || out_.excluded.back().kind != no->kind)) out_.excluded.push_back(*no);
                if (no->col >= 0) break;  // no order changes that
            }
            return false;
        };
        from(0);
    }

    // Of hypotheses of the same stages, one without a parameter is simpler than one that a parameter makes equal to it.
    void drop_parametrised() {
        if (std::any_of(left_.begin(), left_.end(), [](const Hypothesis& h) { return !h.searches(); }))
            left_.erase(std::remove_if(left_.begin(), left_.end(), [](const Hypothesis& h) { return h.searches(); }), left_.end());
    }

    void report() {
        if (left_.empty()) return unknown();
        drop_parametrised();
        out_.calls += separate(call_, op_, d_, left_, out_.rows);
        for (const Hypothesis& h : left_) {
            Finding f;
            const Model m = h.model();
            f.computes = m.contract;
            f.computes.assoc = m.map->assoc, f.computes.map = m.map->map, f.computes.by = m.map->by;
            f.lines = h.named();
            if (f.computes.map == Map::f32_gain && claim_[0].map == Map::cast_first) add_name(*find_fault("order.gain_then_cast"));
            for (const Named& n : f.lines)
                if (std::none_of(out_.equal.begin(), out_.equal.end(), [&](const Named& o) { return o.kind == n.kind; })) out_.equal.push_back(n);
            out_.findings.push_back(std::move(f));
        }
        const auto claims = [&](const Finding& f) {
            return f.lines.empty() && std::any_of(claim_.begin(), claim_.end(), [&](const Contract& c) {
                       return c.map == f.computes.map && c.by == f.computes.by && (c.assoc == Assoc::any || c.assoc == f.computes.assoc);
                   });
        };
        out_.as_claimed = std::any_of(out_.findings.begin(), out_.findings.end(), claims);
        if (out_.as_claimed) by_batch();
        if (out_.as_claimed) out_.unknown = "unknown: the built rows show no other formula than the claim's";
    }

    void add_name(const Fault& f) {
        if (std::any_of(out_.equal.begin(), out_.equal.end(), [&](const Named& o) { return o.kind == f.kind; })) return;
        const auto rows = static_cast<std::int64_t>(e_->rows());
        const By by = claim_[0].by;
        out_.equal.push_back({std::string(f.kind), "", std::string(f.line_under(by)), std::string(f.fix_under(by)), rows, rows * d_});
    }

    // The claim's formula in every row: does a row's sum depend on its batch?
    void by_batch() {
        if (differ(batches(op_, claim_[0], d_, 256, 64)) || differ(tie_batches(op_, claim_[0], d_, claimed_, 256, 64))) {
            out_.as_claimed = false;
            out_.findings.clear();
            add_name(*find_fault("order.batch_variant"));
        }
    }
    // The first case's rows, and the same rows in the others.
    bool differ(const std::vector<Tensors>& all) {
        std::vector<std::vector<std::byte>> y;
        for (const Tensors& t : all) {
            const Outcome o = call_(t);
            ++out_.calls;
            if (o.event != Event::ok) return false;
            y.push_back(o.out[static_cast<std::size_t>(t.find("y") - t.all.data())]);
        }
        if (y.empty()) return false;
        auto at = y[0].begin();
        for (std::size_t i = 1; i < y.size(); at += static_cast<std::ptrdiff_t>(y[i++].size()))
            if (!std::equal(y[i].begin(), y[i].end(), at)) return true;
        return false;
    }

    void unknown() {
        out_.unknown = "unknown: none of the listed lines, alone or two together, gives these rows bit for bit";
        std::vector<FailedCase> own;
        for (std::size_t k = 0; k < tensors_.size(); ++k) own.push_back({&tensors_[k], &outcomes_[k]});
        out_.smallest = smallest_failing(own, claim_);
        if (out_.smallest) out_.smallest = shrink(call_, op_, claim_, std::move(*out_.smallest), out_.calls);
        out_.broken = broken_relations(call_, tensors_, claim_);
    }

    const KernelCall& call_;
    const Op& op_;
    const Claim& claim_;
    std::int64_t d_;
    std::vector<Tensors> tensors_;
    std::vector<Outcome> outcomes_;
    std::vector<Model> claimed_, other_;
    std::vector<Hypothesis> left_;
    std::size_t given_ = 0;
    Evidence* e_ = nullptr;
    Explanation out_;
};

}  // namespace

std::string Finding::text() const {
    std::string s = print(computes, false);
    for (const Named& n : lines) s += fmt::format("; {}: {}{}{}", n.kind, n.line, n.parameter.empty() ? "" : ", ", n.parameter);
    return s;
}

Explanation diagnose(const KernelCall& call, const Op& op, const Claim& claim, std::int64_t d, std::span<const FailedCase> cases, std::int64_t rows) {
    return Diagnosis(call, op, claim, d).run(cases, rows);
}

}  // namespace ulpgate
