#include "properties/relations/relation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "properties/cases/case.hpp"
#include "properties/judge/rows.hpp"
#include "reference/admissible/row_set.hpp"

namespace ulpgate {
namespace {

using judging::Rows;

bool promised(const Relation& relation, const Claim& claim) {
    return std::all_of(claim.begin(), claim.end(), [&](const Contract& c) {
        if (c.map == Map::none) return false;
        const auto holds = split(c.holds, '.');
        for (const auto needed : split(relation.invariance, '.'))
            if (!needed.empty() && std::find(holds.begin(), holds.end(), needed) == holds.end()) return false;
        return true;
    });
}

bool allowed(Verdict v) { return v == Verdict::pass || v == Verdict::mistrusted; }

enum class Alone { judged, unjudged };

// One call and what the judge says of it alone. false: `out.what` says why the relation ends here.
bool called(const Tensors& t, const Claim& claim, const RunKernel& run, Alone alone, std::string_view which, Outcome& o, Checked& out) {
    o = run(t);
    if (alone == Alone::unjudged && o.event == Event::ok) return true;
    if (o.event == Event::refused || o.event == Event::unavailable) {
        out.held = Held::not_run;
        out.what = fmt::format("{}: {}", which, o.what);
        return false;
    }
    const auto j = judge(t, o, claim);
    if (allowed(j.verdict)) return true;
    out.held = j.verdict == Verdict::unsupported ? Held::not_run : Held::broken;
    out.what = fmt::format("{}: {}: {} {}", which, name(j.verdict), j.what, j.reason);
    out.row = out.first_row = j.witness.row;
    return false;
}

class Comparison {
  public:
    Comparison(const Relation& relation, const Claim& claim, const Link& link, const Tensors& t, const Tensors& changed,
               const Outcome& a, const Outcome& b)
        : relation_(relation), claim_(claim), link_(link), eps_(t.eps), changed_eps_(changed.eps), a_(t, a), b_(changed, b) {}

    std::int64_t rows() const { return b_.rows(); }
    std::int64_t first_row(std::int64_t i) const { return link_.row.empty() ? i : link_.row[static_cast<std::size_t>(i)]; }
    void load(std::int64_t i) {
        row_ = i;
        a_.load(first_row(i));
        b_.load(i);
    }
    bool exact() const {
        if (!relation_.exact) return true;
        const auto holds = [&](Residual mix) {
            return relation_.exact({claim_, link_, a_.statistic_input(mix), b_.statistic_input(mix), a_.w(), b_.w(), eps_, changed_eps_});
        };
        return holds(Residual::rounded) && (!b_.has_residual() || holds(Residual::unrounded));
    }
    // The first output of the loaded row whose bits do not follow; -1: all do.
    std::int64_t difference() const {
        for (std::int64_t j = 0; j < b_.width(); ++j)
            if (!follows(expected(j), b_.y()[static_cast<std::size_t>(j)])) return j;
        return -1;
    }
    std::string text(std::int64_t j) const {
        return fmt::format("{}: row {} col {}: {:x} where the first call's row {} gives {:x}{}", relation_.name, row_, j, b_.y_word(j),
                           first_row(row_), encode(b_.y_type(), expected(j)), moved());
    }

  private:
    float expected(std::int64_t j) const {
        const auto from = link_.column.empty() ? j : link_.column[static_cast<std::size_t>(j)];
        const float y = std::ldexp(a_.y()[static_cast<std::size_t>(from)], link_.scale);
        const bool flip = !link_.flipped.empty() && link_.flipped[static_cast<std::size_t>(row_ * b_.width() + j)];
        return flip ? -y : y;
    }
    // Any NaN is any NaN. Scaled, both must keep off the ends of y's type, or they are not compared.
    bool follows(float expected, float got) const {
        if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
        if (link_.scale != 0) {
            const auto lowest = with_format(b_.y_type(), [](auto f) { return std::ldexp(1.0f, f.emin + 1); });
            const auto highest = with_format(b_.y_type(), [](auto f) { return f.decode(f.max_word); });
            for (const float v : {expected, got, std::ldexp(expected, -link_.scale)})
                if (!(std::fabs(v) >= lowest && std::fabs(v) < highest)) return true;
        }
        return std::bit_cast<std::uint32_t>(expected) == std::bit_cast<std::uint32_t>(got);
    }
    // How far apart the two calls' r are, where each has one and they do not meet.
    std::string moved() const {
        const auto pieces = maps_for(claim_[0]);
        if (pieces.empty() || link_.k != 0) return "";
        const MapTypes types = map_types(claim_[0]);
        const auto r_of = [&](const Rows& rows) {
            return reproduce(*pieces[0], types, rows.normalised(claim_[0].residual), rows.w(), rows.y());
        };
        const RowSet a = r_of(a_), b = r_of(b_);
        if (!a.any || !b.any) return "";
        const auto steps = [](float lo, float hi) {
            return std::bit_cast<std::int32_t>(hi) - std::int64_t{std::bit_cast<std::int32_t>(lo)};
        };
        const auto apart = a.hi < b.lo ? steps(a.hi, b.lo) : b.hi < a.lo ? steps(b.hi, a.lo) : 0;
        return apart ? fmt::format("; r differs by {} ulp32", apart) : "";
    }

    const Relation& relation_;
    const Claim& claim_;
    const Link& link_;
    double eps_, changed_eps_;
    Rows a_, b_;
    std::int64_t row_ = 0;
};

std::vector<std::uint32_t> words_of(const Tensor& t, std::int64_t row) {
    std::vector<std::uint32_t> out;
    for (std::int64_t j = 0; j < t.width(); ++j) out.push_back(t.word(t.row_at(row) + j));
    return out;
}

Program program_of(const Tensor* t, std::int64_t row) {
    Program p;
    if (!t) return p;
    p.fill = 0;
    p.segments.push_back({0, 1, t->width(), words_of(*t, t->rank == 1 ? 0 : row)});
    return p;
}

Checked checked(const Relation& relation, const Tensors& t, const Claim& claim, const RunKernel& run, std::uint64_t seed, Alone alone) {
    Checked out;
    Link link;
    Rng rng(seed, 0, 0);
    out.changed = t;
    const bool applies = std::all_of(claim.begin(), claim.end(), relation.applies);
    if (!applies || !relation.change(rng, out.changed, link)) {
        out.held = Held::not_run;
        out.what = fmt::format("{} does not apply", relation.name);
        return out;
    }
    Outcome first, second;
    if (!called(t, claim, run, alone, "first call", first, out) || !called(out.changed, claim, run, alone, relation.name, second, out))
        return out;
    const bool owed = alone == Alone::unjudged || promised(relation, claim);
    Comparison c(relation, claim, link, t, out.changed, first, second);
    out.rows = c.rows();
    for (std::int64_t i = 0; i < c.rows(); ++i) {
        c.load(i);
        const bool exact = c.exact();
        out.exact_rows += exact;
        const auto j = c.difference();
        if (j < 0 || out.held == Held::broken || (out.held == Held::finding && !(owed && exact))) continue;
        out.held = owed && exact ? Held::broken : Held::finding;
        out.what = c.text(j);
        out.row = i;
        out.first_row = c.first_row(i);
    }
    return out;
}

}  // namespace

const Relation* find_relation(std::string_view name) {
    for (const Relation* r : relations::all())
        if (r->name == name) return r;
    return nullptr;
}

Checked check(const Relation& relation, const Tensors& t, const Claim& claim, const RunKernel& run, std::uint64_t seed) {
    return checked(relation, t, claim, run, seed, Alone::judged);
}
Checked check_own_bits(const Relation& relation, const Tensors& t, const Claim& claim, const RunKernel& run, std::uint64_t seed) {
    return checked(relation, t, claim, run, seed, Alone::unjudged);
}

std::string written_out(const Tensors& t, const Claim& claim, std::int64_t row) {
    Case c;
    c.op = t.op->name;
    c.claim = claim;
    c.d = t.find("x")->width();
    c.eps = t.eps;
    c.program = program_of(t.find("x"), row);
    c.w_program = program_of(t.find("w"), row);
    c.residual_program = program_of(t.find("residual"), row);
    c.h = make(c).tensors.hash();
    return print(c);
}

}  // namespace ulpgate
