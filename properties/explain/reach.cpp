#include "properties/explain/reach.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/exact/sum.hpp"

namespace ulpgate::naming {
namespace {

constexpr double u = 0x1p-24;
constexpr double overflow = 0x1p128 - 0x1p103;  // from here on f32 rounds to Inf

bool finite(std::span<const float> x) {
    return std::all_of(x.begin(), x.end(), [](float v) { return std::isfinite(v); });
}

// Every partial sum of the squares is exact in f32, in any order: they are multiples of one power of two, 2^24 of them at most.
bool exact_in_any_order(const Contract& c, std::span<const float> x, double s) {
    if (c.sq == Accumulate::t || c.acc == Accumulate::t || s < 0x1p-100) return false;
    int least = 1000;
    for (const float v : x) {
        if (v == 0) continue;
        int e = 0;
        const auto m = static_cast<std::uint32_t>(std::ldexp(std::fabs(std::frexp(v, &e)), 24));
        least = std::min(least, e - 24 + std::countr_zero(m));
    }
    return std::ldexp(s, -2 * least) <= 0x1p24;
}

SumRange bounded(const Contract& c, std::span<const float> x, double eps) {
    if (!finite(x)) return {0, 0, true};
    const double s = sum_of_squares(x).hi;
    if (s == 0 || s > 0x1p126) return {0, 0, true};
    if (exact_in_any_order(c, x, s)) return {s, s, false};
    const double rho = statistic_set(c, x, eps).set.rho, eta = 0x1p-149 * static_cast<double>(x.size());
    return {std::max(0.0, s * (1 - rho) * (1 - 0x1p-45) - eta), s * (1 + rho) * (1 + 0x1p-45) + eta, false};
}

float below(double v) {
    if (v >= overflow) return std::numeric_limits<float>::infinity();
    const auto f = static_cast<float>(v);
    return static_cast<double>(f) > v ? std::nextafter(f, 0.0f) : f;
}
float above(double v) {
    const auto f = static_cast<float>(v);
    return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

Range widened(const Model& m, double a, double b, double roundings) {
    const double by = (roundings + 4 * std::max<double>(m.contract.rsqrt, 0.5)) * u;
    return {std::min(a, b) * (1 - by), std::max(a, b) * (1 + by)};
}

}  // namespace

SumRange sum_range(const Model& m, const Row& row) {
    std::vector<float> counted(row.statistic.begin(), row.statistic.end());
    if (m.weight) {
        const auto d = static_cast<std::int64_t>(counted.size());
        const double q = m.parameter(Stage::columns, counted.size());
        for (std::int64_t j = 0; j < d; ++j) {
            const int k = m.weight(j, d, q);
            auto& x = counted[static_cast<std::size_t>(j)];
            for (int more = 1; more < k; ++more) counted.push_back(x);
            if (k == 0) counted[static_cast<std::size_t>(j)] = 0;
        }
    }
    counted.insert(counted.end(), row.spilled.begin(), row.spilled.end());
    SumRange s = bounded(m.contract, counted, row.eps);
    if (row.partner.empty() || s.special) return s;
    const SumRange o = bounded(m.contract, row.partner, row.eps);
    return {(s.lo + o.lo) * (1 - u), (s.hi + o.hi) * (1 + u), o.special};
}

Range scalar_range(const Model& m, const Row& row, SumRange s) {
    if (s.special) return ordered_range(m, row);
    if (m.scale) {
        Model plain = m;
        plain.scale = nullptr;
        return scalar_range(plain, row, s);
    }
    return widened(m, static_cast<double>(m.from_sum(below(s.lo), row.statistic, row.eps)),
                   static_cast<double>(m.from_sum(above(s.hi), row.statistic, row.eps)), 8);
}

Sums ordered_sums(const Model& m, const Row& row) {
    Model other = m;
    const auto sum = [&] {
        double s = other.sum_of(row.statistic);
        if (!row.partner.empty()) s = static_cast<float>(s + other.sum_of(row.partner));
        return s;
    };
    Sums out{sum(), 0, 0};
    out.sequential = out.pairwise = out.own;
    if (!m.sum) return out;
    other.fma = false;
    other.order = *find_order("sequential");
    out.sequential = sum();
    other.order = *find_order("pairwise");
    out.pairwise = sum();
    return out;
}

Range ordered_range(const Model& m, const Row& row, Sums s) {
    Model plain = m;
    plain.scale = nullptr;
    const auto at = [&](double sum) { return static_cast<double>(plain.from_sum(sum, row.statistic, row.eps)); };
    const double r = at(s.own);
    if (!std::isfinite(r) || !(r > 0)) return {r, r};
    double lo = std::min({s.own, s.sequential, s.pairwise}), hi = std::max({s.own, s.sequential, s.pairwise});
    if (!(hi - lo < hi * 0x1p-12)) return widened(m, r, r, 2);
    const double more = 2 * (hi - lo);
    lo -= more, hi += more;
    return widened(m, at(lo), at(hi), 8);
}

Range ordered_range(const Model& m, const Row& row) { return ordered_range(m, row, ordered_sums(m, row)); }

bool meets(const Model& m, Range range, float lo, float hi) {
    if (std::isnan(range.lo) || std::isnan(range.hi)) return false;
    float a = std::max(lo, above(range.lo)), b = std::min(hi, below(range.hi));
    if (!m.scale) return a <= b;
    // The value left by m.scale must be one of its own, from an r inside the range, and one that gives the
    // outputs.
    a = above(range.lo);
    b = below(range.hi);
    if (!(a <= b)) return false;
    std::uint32_t from = std::bit_cast<std::uint32_t>(a), to = std::bit_cast<std::uint32_t>(b);
    while (from < to) {  // the least r whose scaled value reaches lo
        const std::uint32_t mid = from + (to - from) / 2;
        if (m.scale(m, std::bit_cast<float>(mid)) >= lo)
            to = mid;
        else
            from = mid + 1;
    }
    const float g = m.scale(m, std::bit_cast<float>(from));
    return lo <= g && g <= hi;
}

}  // namespace ulpgate::naming
