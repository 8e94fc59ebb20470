#include "reference/admissible/row_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
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
    bool gives(std::size_t at, std::size_t n, const float* out) const { return !std::memcmp(out, y.data() + at, n * sizeof *out); }
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
    constexpr std::size_t most = 512;
    std::array<float, most> low, high;
    std::size_t n = 0;
    for (std::size_t at = 0, block = 8; at < row.x.size(); at += n, block = std::min(2 * block, most)) {
        n = std::min(block, row.x.size() - at);
        row.apply(at, n, row.scalar(range.lo), low.data());
        if (range.hi != range.lo) row.apply(at, n, row.scalar(range.hi), high.data());
        const float* upper = range.hi != range.lo ? high.data() : low.data();
        const std::size_t all = n;
        const bool alike = row.gives(at, n, low.data()) && (upper == low.data() || row.gives(at, n, upper));
        for (std::size_t k = 0; !alike && k < all; ++k) {
            const std::size_t j = at + k;
            if (same(low[k], row.y[j]) && same(upper[k], row.y[j])) continue;
            const auto part = column(row, j, range, low[k], upper[k]);
            if (!part) return static_cast<std::int64_t>(j);
            range = *part;
            n = k + 1;  // go on with what is left of the range, where most columns no longer differ
            block = 4;
            break;
        }
    }
    return -1;
}

// The first column that the scalar s does not reproduce, or -1.
std::int64_t mismatch(const Row& row, float s) {
    std::array<float, 512> out;
    std::size_t n = 0;
    for (std::size_t at = 0, block = 8; at < row.x.size(); at += n, block = std::min(4 * block, out.size())) {
        n = std::min(block, row.x.size() - at);
        row.apply(at, n, s, out.data());
        const bool alike = row.gives(at, n, out.data());
        for (std::size_t k = 0; !alike && k < n; ++k)
            if (!same(out[k], row.y[at + k])) return static_cast<std::int64_t>(at + k);
    }
    return -1;
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
        const std::uint32_t mid = range.lo + (range.hi - range.lo) / 2;
        if (mismatch(row, row.scalar(mid)) < 0) return found(row, {mid, mid});
        // Most kernels' scalar is one of the floats beside it: few steps find it.
        constexpr std::uint32_t beside = 7;
        Range near{std::max(range.lo, mid - std::min(mid, beside)), std::min(range.hi, mid + beside)};
        if (near.hi - near.lo < range.hi - range.lo && narrow_range(row, near) < 0) return found(row, near);
        col = narrow_range(row, range);
        if (col < 0) return found(row, range);
    }
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& [allowed, s] : {std::pair{set.zero, 0.0f}, {set.inf, inf}, {set.nan, nan}}) {
        if (!allowed) continue;
        const std::int64_t at = mismatch(row, s);
        if (at < 0) return {true, s, s, -1};
        if (col < 0) col = at;
    }
    return {false, 0, 0, col};
}

}  // namespace ulpgate
