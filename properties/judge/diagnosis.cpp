#include "properties/judge/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "reference/admissible/row_set.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/formats/ulp.hpp"

namespace ulpgate::judging {
namespace {

std::string interval(float lo, float hi) {
    const auto text = [](float v) { return hexfloat(static_cast<double>(v)); };
    return lo == hi ? text(lo) : fmt::format("[{}, {}]", text(lo), text(hi));
}

std::string columns(std::size_t from, std::size_t end) {
    return end - from == 1 ? fmt::format("column {} needs", from)
                           : fmt::format("columns {}-{} need", from, end - 1);
}

const char* scalar_name(const RowView& v) { return v.divides() ? "rms" : "r"; }

RowSet fit(const RowView& v, std::span<const float> y, std::size_t from, std::size_t n) {
    const RowView part = v.columns(from, n);
    return reproduce(*v.hypothesis->piece, v.hypothesis->types, part.x, part.w, y.subspan(from, n));
}

// Columns one by one: the scalar that most of them share.
struct Majority {
    std::vector<std::size_t> impossible;  // no scalar gives this output
    std::vector<std::size_t> missed;      // not given by the shared scalar, `impossible` left out
    float lo = 0, hi = 0;
};

Majority majority(const RowView& v, std::span<const float> y) {
    Majority m;
    std::vector<RowSet> each(y.size());
    struct End {
        std::int32_t at;
        int change;
    };
    std::vector<End> ends;
    for (std::size_t j = 0; j < y.size(); ++j) {
        each[j] = fit(v, y, j, 1);
        if (!each[j].any) {
            m.impossible.push_back(j);
            continue;
        }
        ends.push_back({std::bit_cast<std::int32_t>(each[j].lo), 1});
        ends.push_back({std::bit_cast<std::int32_t>(each[j].hi) + 1, -1});
    }
    std::sort(ends.begin(), ends.end(),
              [](End a, End b) { return a.at != b.at ? a.at < b.at : a.change < b.change; });
    int depth = 0, best = -1;
    std::int32_t at = 0, until = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        depth += ends[i].change;
        if (depth > best && i + 1 < ends.size() && ends[i + 1].at > ends[i].at) {
            best = depth;
            at = ends[i].at;
            until = ends[i + 1].at - 1;
        }
    }
    m.lo = std::bit_cast<float>(at);
    m.hi = std::bit_cast<float>(until);
    for (std::size_t j = 0; j < y.size(); ++j)
        if (each[j].any &&
            (std::bit_cast<std::int32_t>(each[j].lo) > at || std::bit_cast<std::int32_t>(each[j].hi) < at))
            m.missed.push_back(j);
    return m;
}

struct Group {
    std::size_t from, end;
    RowSet r;
};

// Greedy runs of columns that share a scalar, at most `most` of them.
std::vector<Group> groups(const RowView& v, std::span<const float> y, std::size_t most) {
    std::vector<Group> out;
    for (std::size_t from = 0; from < y.size() && out.size() <= most;) {
        const RowSet whole = fit(v, y, from, y.size() - from);
        const std::size_t n =
            whole.any ? y.size() - from : std::max<std::size_t>(1, static_cast<std::size_t>(whole.col));
        out.push_back({from, from + n, whole.any ? whole : fit(v, y, from, n)});
        from += n;
    }
    return out;
}

std::string special(const RowView& v) {
    if (v.set->nan) return "an input is NaN: every output of the row is NaN";
    if (v.set->interval) return "";
    const bool large = v.divides() ? v.set->inf : v.set->zero;
    return large ? "the statistic is infinite: every finite x gives 0"
                 : "the statistic is 0: no x gives a finite number";
}

std::string outside(const RowView& v, const RowSet& r) {
    std::string text = fmt::format("{} in {}", scalar_name(v), interval(r.lo, r.hi));
    if (!v.set->interval) return text + ", where " + special(v);
    const bool above = r.lo > v.set->hi;
    return text + fmt::format(" lies {:.3g} ulp32 {} the allowed {}",
                              apart_ulp32(r.lo, r.hi, v.set->lo, v.set->hi), above ? "above" : "below",
                              interval(v.set->lo, v.set->hi));
}

std::string all_but(const RowView& v, const Majority& m, std::size_t d) {
    std::vector<std::size_t> odd = m.missed;
    odd.insert(odd.end(), m.impossible.begin(), m.impossible.end());
    std::sort(odd.begin(), odd.end());
    std::string list;
    for (std::size_t k = 0; k < std::min<std::size_t>(odd.size(), 4); ++k)
        list += fmt::format("{}{}", k ? ", " : "", odd[k]);
    return fmt::format("one {} in {} gives all but {} of {} outputs: column{} {}{}", scalar_name(v),
                       interval(m.lo, m.hi), odd.size(), d, odd.size() == 1 ? "" : "s", list,
                       odd.size() > 4 ? ", ..." : "");
}

}  // namespace

double apart_ulp32(float lo, float hi, float other_lo, float other_hi) {
    const double gap = lo > other_hi   ? static_cast<double>(lo) - static_cast<double>(other_hi)
                       : hi < other_lo ? static_cast<double>(other_lo) - static_cast<double>(hi)
                                       : 0;
    const float at = lo > other_hi ? other_hi : other_lo;
    return gap == 0 ? 0 : gap / ulp_at(Type::f32, static_cast<double>(at));
}

Diagnosis diagnose(const RowView& v, std::span<const float> y, std::int64_t row) {
    Diagnosis out;
    const Type type = v.hypothesis->types.y;
    const auto allowed = v.elements();
    std::size_t col = 0;
    while (col < y.size() && allows(type, allowed[col], encode(type, y[col]))) ++col;
    const bool inside = col == y.size();
    if (inside) col = 0;

    const RowSet whole = fit(v, y, 0, y.size());
    const bool nan = std::any_of(y.begin(), y.end(), [](float e) { return std::isnan(e); });
    if (nan && v.set->spec_limit) {
        out.reason = "the sum of squares overflows float32: 0 is allowed, and what real arithmetic gives; NaN is not";
    } else if (whole.any) {
        out.reason = outside(v, whole);
    } else if (!v.set->interval) {
        out.reason = special(v);
    } else {
        const std::size_t few = std::max<std::size_t>(2, y.size() / 16);
        const Majority m = majority(v, y);
        const auto runs = groups(v, y, few);
        const bool mostly = m.missed.size() + m.impossible.size() <= std::max<std::size_t>(1, y.size() / 512);
        out.incoherent = m.impossible.empty() && (inside || (runs.size() <= few && !mostly));
        if (mostly && y.size() > 2)
            out.reason = all_but(v, m, y.size());
        else if (out.incoherent && runs.size() > 1)
            out.reason =
                fmt::format("{} {} in {}, {} it in {}", columns(runs[0].from, runs[0].end), scalar_name(v),
                            interval(runs[0].r.lo, runs[0].r.hi), columns(runs[1].from, runs[1].end),
                            interval(runs[1].r.lo, runs[1].r.hi));
        else
            out.reason = fmt::format("no one {} gives this row", scalar_name(v));
    }
    ElementSet here = allowed[col];
    // Each output is possible alone: show the first that cannot be joined with those before it.
    if (inside && whole.col > 0) {
        col = static_cast<std::size_t>(whole.col);
        const RowSet before = fit(v, y, 0, col);
        float a = 0, b = 0;
        v.columns(col, 1).apply(before.lo, {&a, 1});
        v.columns(col, 1).apply(before.hi, {&b, 1});
        here = join(type, {encode(type, a), encode(type, a)}, {encode(type, b), encode(type, b)});
    }
    out.witness = {row,
                   static_cast<std::int64_t>(col),
                   v.x[col],
                   v.w.empty() ? 1.0f : v.w[col],
                   encode(type, y[col]),
                   here.lo,
                   here.hi};
    return out;
}

}  // namespace ulpgate::judging
