#include "reference/admissible/row_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace ulpgate {
namespace {

constexpr std::uint32_t abs_mask = 0x7fffffff, inf_word = 0x7f800000;

std::uint32_t word(float v) { return std::bit_cast<std::uint32_t>(v); }
bool same(float a, float b) { return word(a) == word(b) || (std::isnan(a) && std::isnan(b)); }

// The scalars 0..inf as indices 0..inf_word in the order in which every output grows away from 0.
struct Row {
    const MapPiece& map;
    const MapTypes& types;
    std::span<const float> x, w, y;
    Narrow narrow;

    std::uint32_t index(float s) const { return map.by == By::div ? inf_word - word(s) : word(s); }
    float scalar(std::uint32_t i) const { return std::bit_cast<float>(map.by == By::div ? inf_word - i : i); }

    void apply(std::size_t at, std::size_t n, float s, float* out) const {
        map.apply(types, narrow, x.subspan(at, n), w.empty() ? w : w.subspan(at, n), s, {out, n});
    }
    // Columns from `at` on that s reproduces: at the least so many, found quickly.
    std::size_t agreeing(std::size_t at, float s) const {
        return narrow == narrow_nearest ? map.agreeing(types, x.subspan(at), w.empty() ? w : w.subspan(at), y.subspan(at), s) : 0;
    }
    float value(std::size_t j, std::uint32_t i) const {
        float v;
        apply(j, 1, scalar(i), &v);
        return v;
    }
};

struct Range {
    std::uint32_t lo, hi;  // indices, ends included
};

// The first index in [lo, hi] for which the predicate holds, hi + 1 when none does; it never turns false again.
template <class P>
std::uint32_t first(std::uint32_t lo, std::uint32_t hi, P holds) {
    for (++hi; lo < hi;) {
        const std::uint32_t mid = lo + (hi - lo) / 2;
        if (holds(mid))
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

// The part of the range in which output j is reproduced; it is at_lo and at_hi at the range's ends. Its sign never changes, its
// magnitude grows with the index; NaN, from 0 * inf, lies at one end or everywhere.
std::optional<Range> column(const Row& row, std::size_t j, Range in, float at_lo, float at_hi) {
    const auto nan = [&](std::uint32_t i) { return std::isnan(row.value(j, i)); };
    const float want = row.y[j];
    const bool low = std::isnan(at_lo), high = std::isnan(at_hi);
    if (low && high) return std::isnan(want) ? std::optional(in) : std::nullopt;
    if (low) {
        const std::uint32_t number = first(in.lo, in.hi, [&](std::uint32_t i) { return !nan(i); });
        if (std::isnan(want)) return Range{in.lo, number - 1};
        in.lo = number;
        at_lo = row.value(j, number);
    } else if (high) {
        const std::uint32_t number = first(in.lo, in.hi, nan) - 1;
        if (std::isnan(want)) return Range{number + 1, in.hi};
        in.hi = number;
    }
    if (std::isnan(want) || std::signbit(at_lo) != std::signbit(want)) return {};
    const std::uint32_t target = word(want) & abs_mask;
    const auto magnitude = [&](std::uint32_t i) { return word(row.value(j, i)) & abs_mask; };
    const std::uint32_t from = first(in.lo, in.hi, [&](std::uint32_t i) { return magnitude(i) >= target; });
    if (from > in.hi) return {};
    const std::uint32_t past = first(from, in.hi, [&](std::uint32_t i) { return magnitude(i) > target; });
    return from < past ? std::optional(Range{from, past - 1}) : std::nullopt;
}

// Narrows the range to what reproduces the columns from left to right: those equal at both ends are equal between them,
// the others are bisected. Returns the column that empties it, or -1.
std::int64_t narrow_range(const Row& row, Range& range) {
    constexpr std::size_t block = 8;
    std::array<float, block> low, high;
    for (std::size_t at = 0; at < row.x.size();) {
        std::size_t alike = row.agreeing(at, row.scalar(range.lo));
        if (alike && range.hi != range.lo) alike = std::min(alike, row.agreeing(at, row.scalar(range.hi)));
        at += alike;
        const std::size_t n = std::min(block, row.x.size() - at);
        row.apply(at, n, row.scalar(range.lo), low.data());
        row.apply(at, n, row.scalar(range.hi), high.data());
        std::size_t k = 0;
        while (k < n && same(low[k], row.y[at + k]) && same(high[k], row.y[at + k])) ++k;
        at += k;
        if (k == n) continue;
        const auto part = column(row, at, range, low[k], high[k]);
        if (!part) return static_cast<std::int64_t>(at);
        range = *part;
        ++at;
    }
    return -1;
}

// The first column that the scalar s does not reproduce, and what it gives there.
struct Mismatch {
    std::int64_t col = -1;  // -1: none
    float got = 0;
};
Mismatch mismatch(const Row& row, float s) {
    std::array<float, 8> out;
    std::size_t n = 0;
    for (std::size_t at = row.agreeing(0, s); at < row.x.size(); at += n) {
        n = std::min(out.size(), row.x.size() - at);
        row.apply(at, n, s, out.data());
        for (std::size_t k = 0; k < n; ++k)
            if (!same(out[k], row.y[at + k])) return {static_cast<std::int64_t>(at + k), out[k]};
        n += row.agreeing(at + n, s);
    }
    return {};
}

// A scalar of the range that reproduces the row: s, or what the first wrong column says instead, until one fits or none is left.
std::optional<std::uint32_t> one_of(const Row& row, Range range, std::uint32_t s) {
    for (;;) {
        const auto [col, got] = mismatch(row, row.scalar(s));
        if (col < 0) return s;
        const float want = row.y[static_cast<std::size_t>(col)];
        if (std::isnan(got) || std::isnan(want) || std::signbit(got) != std::signbit(want)) return {};
        const bool low = (word(got) & abs_mask) < (word(want) & abs_mask);
        if (s == (low ? range.hi : range.lo)) return {};
        // A wide output moves as the scalar does: as many units, if the range allows them; else the next one.
        const float units = std::fabs(want - got) / std::fabs(got) * 0x1p23f;
        const float room = static_cast<float>(low ? range.hi - s : s - range.lo);
        const auto step = units >= 2 && units <= room ? static_cast<std::uint32_t>(units) : 1u;
        (low ? range.lo : range.hi) = low ? s + 1 : s - 1;
        s = low ? s + step : s - step;
    }
}

RowSet found(const Row& row, Range r) {
    const float a = row.scalar(r.lo), b = row.scalar(r.hi);
    return {true, std::min(a, b), std::max(a, b), -1};
}

}  // namespace

RowSet reproduce(const MapPiece& map, const MapTypes& types, std::span<const float> x, std::span<const float> w,
                 std::span<const float> y, Narrow narrow) {
    const Row row{map, types, x, w, y, narrow};
    Range range{0, inf_word};
    const std::int64_t col = narrow_range(row, range);
    return col < 0 ? found(row, range) : RowSet{false, 0, 0, col};
}

RowSet reproduce_within(const MapPiece& map, const MapTypes& types, std::span<const float> x, std::span<const float> w,
                        std::span<const float> y, const StatisticSet& set, Narrow narrow) {
    const Row row{map, types, x, w, y, narrow};
    std::int64_t col = -1;
    if (set.interval) {
        const std::uint32_t a = row.index(set.lo), b = row.index(set.hi);
        Range range{std::min(a, b), std::max(a, b)};
        // Most kernels' scalar is one of the floats beside the middle: few steps find it.
        constexpr std::uint32_t beside = 7;
        const std::uint32_t mid = range.lo + (range.hi - range.lo) / 2;
        const Range near{std::max(range.lo, mid - std::min(mid, beside)), std::min(range.hi, mid + beside)};
        if (const auto s = one_of(row, near, mid)) return found(row, {*s, *s});
        col = narrow_range(row, range);
        if (col < 0) return found(row, range);
    }
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& [allowed, s] : {std::pair{set.zero, 0.0f}, {set.inf, inf}, {set.nan, nan}}) {
        if (!allowed) continue;
        const std::int64_t at = mismatch(row, s).col;
        if (at < 0) return {true, s, s, -1};
        if (col < 0) col = at;
    }
    return {false, 0, 0, col};
}

}  // namespace ulpgate
