#include "properties/judge/query_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/admissible/row_set.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/maps/map.hpp"
#include "reference/query/shares.hpp"

namespace ulpgate {
namespace {

// Steps between the ends of an allowed set: 0 for one value.
std::int64_t steps(Type t, const Range& r) {
    if (r.free) return INT64_MAX;
    if (r.lo != r.lo || r.lo == r.hi) return 0;
    return with_format(t, [&](auto f) { return f.ordinal(f.encode(r.hi)) - f.ordinal(f.encode(r.lo)); });
}

bool allows(const Range& r, float v) {
    if (r.free) return true;
    if (r.lo != r.lo || v != v) return r.lo != r.lo && v != v;
    return r.lo <= v && v <= r.hi;
}

class Checker {
  public:
    Checker(const Tensors& t, const Outcome& o, const QueryModel& m) : t_(t), o_(o), path_(t, m), c_(m.contract), shares_(t, m.contract.x, t.eps) {}

    QueryCheck run() {
        for (std::size_t k = 0; k < t_.all.size(); ++k) {
            const Tensor& v = t_.all[k];
            if (v.spec->input()) continue;
            const auto want = static_cast<std::size_t>(v.count() * bytes(v.type));
            if (k < o_.out.size() && o_.out[k].size() == want) continue;
            out_.fits = false;
            out_.error = fmt::format("{} came back with {} bytes, {} were asked for", v.spec->name, k < o_.out.size() ? o_.out[k].size() : 0, want);
            return std::move(out_);
        }
        out_.measure.rows = path_.tokens();
        for (std::int64_t token = 0; token < path_.tokens(); ++token) {
            if (t_.op->abi == Abi::linear) head(token);
            else if (t_.find("tap_q_b")) by_stage(token);
            else end_to_end(token);
        }
        if (!sets_.empty()) outputs();
        return std::move(out_);
    }

  private:
    std::vector<float> output(std::string_view name, std::int64_t from, std::int64_t n) const {
        std::vector<float> v(static_cast<std::size_t>(n));
        for (std::size_t k = 0; k < t_.all.size(); ++k)
            if (t_.all[k].spec->name == name && n) unpack(t_.all[k].type, o_.out[k].data() + from * bytes(t_.all[k].type), v);
        return v;
    }

    QueryStage& stage(std::string_view name) {
        for (QueryStage& s : out_.stages)
            if (s.stage == name) return s;
        out_.stages.push_back({std::string(name)});
        return out_.stages.back();
    }

    template <class Where>
    void one(std::string_view name, Type t, const Range& allowed, float got, std::int64_t token, std::int64_t index, Where where) {
        QueryStage& s = stage(name);
        ++s.outputs;
        ++out_.measure.elements;
        const std::int64_t n = steps(t, allowed);
        s.at_most_two += n <= 1;
        const double middle = allowed.free ? 0 : (static_cast<double>(allowed.lo) + static_cast<double>(allowed.hi)) / 2,
                     width = allowed.free ? HUGE_VAL : static_cast<double>(allowed.hi) - static_cast<double>(allowed.lo);
        s.untold += n > 1 && !(width <= std::fabs(middle) / 4);
        if (n > 1) s.width = std::max(s.width, allowed.free ? HUGE_VAL : width / ulp_at(t, middle));
        if (allows(allowed, got)) return;
        ++s.outside;
        ++out_.measure.outside;
        if (!out_.fits) return;
        out_.fits = false;
        const int digits = 2 * bytes(t);
        std::string text = fmt::format("token {} {}   allowed {:0{}x}", token, where(), encode(t, allowed.lo), digits);
        if (n) text += fmt::format("..{:0{}x}", encode(t, allowed.hi), digits);
        out_.failure = {std::string(name), token, index, text + fmt::format("   got {:0{}x}", encode(t, got), digits)};
    }

    void measured(Type t, const Projected& y, float got, std::int64_t token, std::int64_t index) {
        if (!std::isfinite(y.exact) || !std::isfinite(got) || y.allowed.free) return;
        // Where terms cancel, an ulp of what is left says nothing of the kernel: an ulp of f32 at the size of the terms does.
        const double e = (static_cast<double>(got) - y.exact) / std::max({ulp_at(t, y.exact), ulp_at(t, y.before), ulp_at(Type::f32, y.magnitude)});
        if (!std::isfinite(e)) return;
        out_.measure.sum_ulp += e;
        if (std::fabs(e) <= out_.measure.worst_ulp) return;
        out_.measure.worst_ulp = std::fabs(e);
        out_.measure.worst.row = token;
        out_.measure.worst.col = index;
        out_.measure.worst.got = encode(t, got);
    }

    void projection(std::string_view name, Type t, const std::vector<Projected>& sets, std::span<const float> got, std::int64_t token) {
        for (std::size_t k = 0; k < sets.size(); ++k) {
            one(name, t, sets[k].allowed, got[k], token, static_cast<std::int64_t>(k), [&] { return fmt::format("{} row {}", name, k); });
            measured(t, sets[k], got[k], token, static_cast<std::int64_t>(k));
        }
    }

    void head(std::int64_t token) {
        const auto n = t_.sizes[Dim::b_out];
        const auto got = output("y", token * n, n);
        const bool widened = c_.logits == Logits::t_then_f32;
        const Type t = widened ? c_.x : Type::f32;
        const auto& sets = path_.second(exactly(path_.input(token)));
        for (std::size_t k = 0; k < sets.size(); ++k) {
            Range r = sets[k].allowed;
            // A logit between two values of T was never rounded to it.
            if (widened && !r.free && round_to(c_.x, got[k]) != got[k] && got[k] == got[k]) {
                const float nearest = decode(c_.x, sets[k].nearest);
                one("logits", Type::f32, Range::of(nearest), got[k], token, static_cast<std::int64_t>(k),
                    [&] { return fmt::format("logit {}, which is no value of {}:", k, name(c_.x)); });
                continue;
            }
            one("logits", t, r, got[k], token, static_cast<std::int64_t>(k), [&] { return fmt::format("logit {}", k); });
            measured(t, sets[k], got[k], token, static_cast<std::int64_t>(k));
        }
    }

    // name: "norm", of the q slice of row, or "kv norm". sets: what each output may be alone.
    void norm_stage(std::string_view name, std::span<const float> a, std::span<const float> row_of_a, std::span<const float> w, std::span<const float> z, const Ranges& sets, std::int64_t token) {
        const StatisticSet set = statistic_set(c_, path_.model().pieces.wide_norm ? row_of_a : a, path_.eps()).set;
        std::int64_t col = 0;
        bool any = false;
        for (const MapPiece* m : maps_for(c_)) {
            const RowSet row = reproduce_within(*m, map_types(c_), a, w, z, set);
            any |= row.any;
            col = std::max<std::int64_t>(row.col, 0);
        }
        QueryStage& s = stage(name);
        for (std::size_t k = 0; k < sets.size(); ++k) s.at_most_two += steps(c_.x, sets[k]) <= 1;
        s.outputs += static_cast<std::int64_t>(sets.size());
        out_.measure.elements += static_cast<std::int64_t>(sets.size());
        if (any) return;
        ++s.outside;
        ++out_.measure.outside;
        if (!out_.fits) return;
        out_.fits = false;
        const auto k = static_cast<std::size_t>(col);
        out_.failure = {std::string(name), token, col, fmt::format("token {} {} col {}   allowed {:x}..{:x}   got {:x}: no one r of the row gives its outputs", token, name, col,
                                                        encode(c_.x, sets[k].lo), encode(c_.x, sets[k].hi), encode(c_.x, z[k]))};
    }

    void by_stage(std::int64_t token) {
        const std::int64_t rank = t_.sizes[Dim::q_rank], n = t_.sizes[Dim::b_out], wide = t_.sizes[Dim::a_out];
        const auto q_slice = static_cast<std::size_t>(rank);
        std::vector<float> z = path_.input(token), tap_a, tap_norm;
        std::vector<Projected> exact_a;
        if (rank) {
            const auto a = output("tap_a", token * wide, wide);
            auto sets = path_.first(exactly(z));
            exact_a = sets;
            tap_a = a;
            z = output("tap_norm", token * rank, rank);
            if (c_.latent == Latent::f32) {  // what enters the norm is not seen: from h
                Ranges in;
                for (Projected& y : sets) {
                    in.push_back(y.allowed);
                    // A tap is of T.
                    y.allowed = {round_to(c_.x, y.allowed.lo), round_to(c_.x, y.allowed.hi), y.allowed.free};
                }
                projection("q_a", c_.x, sets, a, token);
                const Ranges normal = path_.norm(in);
                each("norm", normal, z, token);
                if (c_.kv == Kv::fused) each("k_input", path_.k_input(token, in), output("k_input", token * key_width(), key_width()), token);
            } else {
                projection("q_a", c_.x, sets, a, token);
                q_norm(std::span(a).first(q_slice), a, z, token);
                if (c_.kv == Kv::fused) kv_stages(a, token);
            }
            tap_norm = z;
        }
        const auto q = output("tap_q_b", token * n, n);
        if (path_.model().pieces.norm_each_head || path_.model().pieces.norm_always) {
            each("q_b", path_.through(token).q, q, token);
        } else {
            const auto& sets = path_.second(exactly(z));
            projection("q_b", c_.x, sets, q, token);
            if (c_.latent == Latent::t) shares_.token({std::span(exact_a).first(q_slice), std::span(tap_a).first(q_slice), tap_norm, sets, q}, out_.shares);
        }
        sets_.push_back(path_.rope(token, exactly(q)));
        tapped_ = true;
    }

    void end_to_end(std::int64_t token) {
        const QueryPath::Ends ends = path_.through(token);
        sets_.push_back(path_.rope(token, ends.q));
        if (c_.kv == Kv::fused) each("k_input", ends.k_input, output("k_input", token * key_width(), key_width()), token);
    }

    std::int64_t key_width() const { return t_.sizes[Dim::absorbed]; }

    void each(std::string_view name, const Ranges& sets, std::span<const float> got, std::int64_t token) {
        for (std::size_t k = 0; k < sets.size(); ++k) one(name, c_.x, sets[k], got[k], token, static_cast<std::int64_t>(k), [&] { return fmt::format("{} col {}", name, k); });
    }

    void q_norm(std::span<const float> a, std::span<const float> row, std::span<const float> z, std::int64_t token) {
        const QueryPieces& p = path_.model().pieces;
        const std::vector<float> ones(a.size(), 1.0f);
        if (!p.norm) each("norm", exactly(a), z, token);
        else norm_stage("norm", a, row, p.folded_gain ? std::span<const float>(ones) : path_.gain(), z, path_.norm(exactly(row)), token);
    }

    void kv_stages(std::span<const float> a, std::int64_t token) {
        const auto rank = static_cast<std::size_t>(t_.sizes[Dim::q_rank]), kv = static_cast<std::size_t>(t_.sizes[Dim::kv_rank]);
        const auto got = output("k_input", token * key_width(), key_width());
        const Ranges sets = path_.k_input(token, exactly(a));
        norm_stage("kv norm", a.subspan(rank, kv), a, path_.kv_gain(), std::span(got).first(kv), Ranges(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(kv)), token);
        each("k_pe", Ranges(sets.begin() + static_cast<std::ptrdiff_t>(kv), sets.end()), std::span(got).subspan(kv), token);
    }

    // sets_ hold every token's q, rotated: exactly what its taps say, or what may come of h.
    void outputs() {
        const std::string_view name = !tapped_ ? "q" : c_.rope == Rope::none ? "split" : "rope";
        const std::int64_t B = t_.sizes[Dim::batch], T = t_.sizes[Dim::tokens], H = t_.sizes[Dim::heads], N = t_.sizes[Dim::nope], R = t_.sizes[Dim::rope];
        for (std::int64_t b = 0; b < B; ++b)
            for (std::int64_t h = 0; h < H; ++h)
                for (std::int64_t t = 0; t < T; ++t) {
                    const std::int64_t token = b * T + t;
                    if (c_.absorb == Absorb::yes) {
                        absorbed(token, h);
                        continue;
                    }
                    const std::int64_t at = (b * H + h) * T + t;
                    const auto nope = output("q_nope", at * N, N), pe = output("q_pe", at * R, R);
                    for (std::int64_t j = 0; j < N + R; ++j) {
                        const float got = j < N ? nope[static_cast<std::size_t>(j)] : pe[static_cast<std::size_t>(j - N)];
                        const Source s = path_.source(token, h, j);
                        one(name, c_.x, sets_[static_cast<std::size_t>(s.token)][static_cast<std::size_t>(s.row)], got, token, h * (N + R) + j,
                            [&] { return fmt::format("{} head {} col {}", j < N ? "q_nope" : "q_pe", h, j < N ? j : j - N); });
                    }
                }
    }

    void absorbed(std::int64_t token, std::int64_t head) {
        const std::int64_t width = key_width();
        const auto got = output("q_absorbed", (token * t_.sizes[Dim::heads] + head) * width, width);
        const Ranges sets = path_.absorbed(token, head, sets_);
        for (std::size_t k = 0; k < sets.size(); ++k)
            one(tapped_ ? "absorb" : "q", c_.x, sets[k], got[k], token, head * width + static_cast<std::int64_t>(k), [&] { return fmt::format("q_absorbed head {} col {}", head, k); });
    }

    const Tensors& t_;
    const Outcome& o_;
    QueryPath path_;
    Contract c_;
    ShareCounter shares_;
    QueryCheck out_;
    std::vector<Ranges> sets_;
    bool tapped_ = false;
};

std::vector<Contract> members(const Contract& c) {
    if (c.map != Map::none) return {c};
    std::vector<Contract> out;
    for (const Map m : {Map::cast_first, Map::f32_gain}) {
        out.push_back(c);
        out.back().map = m;
    }
    return out;
}

std::string not_judged(const Contract& c) {
    if (c.w != c.x || c.y != c.x) return "w and y are of the type of x in the query path";
    if (c.residual != Residual::none || c.quant != Quant::none || c.gain != Gain::given || c.beta != Given::none || c.rstd != Emit::none)
        return "residual, quant, gain, beta and rstd are fields of the norms alone";
    if (const auto why = why_no_sum(c); !why.empty()) return why;
    return why_no_map(c);
}

}  // namespace

QueryCheck check_query(const Tensors& t, const Outcome& o, const QueryModel& m) { return Checker(t, o, m).run(); }

Judgement judge_query(const Tensors& t, const Outcome& o, const Claim& claim) {
    Judgement j;
    j.findings = o.findings;
    QueryCheck best;
    bool begun = false;
    for (Contract c : claim) {
        c.weights = t.contract.weights;
        c.taps = t.contract.taps;
        j.inferred |= c.map == Map::none && t.op->abi == Abi::mla_query;
        if (c.map == Map::none && t.op->abi == Abi::linear) c.map = Map::cast_first;  // a projection has no gain
        for (const Contract& k : members(c)) {
            if (const auto why = not_judged(k); !why.empty()) {
                j.verdict = Verdict::unsupported;
                j.what = why;
                return j;
            }
            QueryCheck r = check_query(t, o, {k, {}, ""});
            if (!r.error.empty()) {
                j.verdict = Verdict::corrupted;
                j.what = r.error;
                return j;
            }
            j.candidates.push_back({k, r.fits, r.failure.token, r.failure.index, r.fits ? r.measure.rows : 0, r.fits ? r.measure.elements : 0});
            if (!begun || (r.fits && !best.fits)) best = std::move(r);
            begun = true;
        }
    }
    j.measure = best.measure;
    j.stages = best.stages;
    j.shares = best.shares;
    if (!best.fits) {
        j.verdict = Verdict::inadmissible;
        j.what = best.failure.text;
        j.reason = fmt::format("first at the stage {}", best.failure.stage);
        j.witness.row = best.failure.token;
        j.witness.col = best.failure.index;
        return j;
    }
    conclude(j);
    return j;
}

}  // namespace ulpgate
