#include "properties/judge/measure.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "reference/formats/ulp.hpp"
#include "reference/oracle/oracle.hpp"

namespace ulpgate {

void Measure::merge(const Measure& o) {
    rows += o.rows;
    elements += o.elements;
    if (o.worst_ulp > worst_ulp || worst.row < 0) {
        worst_ulp = o.worst_ulp;
        worst = o.worst;
    }
    worst_steps = std::max(worst_steps, o.worst_steps);
    sum_ulp += o.sum_ulp;
    worst_r_ulp32 = std::max(worst_r_ulp32, o.worst_r_ulp32);
    outside += o.outside;
    spec_limit_rows += o.spec_limit_rows;
    eps_dominated_rows += o.eps_dominated_rows;
    errors.merge(o.errors);
    for (const auto& [octave, bin] : o.by_rms) by_rms[octave].merge(bin);
}

namespace judging {

GainValues gain_values(const Contract& c, std::span<const float> stored) {
    GainValues g{c.w, {stored.begin(), stored.end()}};
    if (c.gain == Gain::one_plus) {
        g.type = Type::f32;
        for (float& w : g.w) w = 1.0f + w;
    } else if (c.gain == Gain::one_plus_t) {
        g.type = c.x;
        for (float& w : g.w) w = round_to(c.x, 1.0f + w);
    }
    return g;
}

Measurer::Measurer(const Contract& c, std::span<const float> w, double eps)
    : contract_(c), eps_(eps), gain_(gain_values(c, w)) {}

namespace {

constexpr std::size_t lanes = 8;

struct Fractions {
    double worst = 0, sum = 0;
    bool finite = true;
};

// (y - ideal) / ulp(ideal) of every element. The ideal value w x r is exact but for r's 2^-50 and one
// rounding.
template <class F>
Fractions fractions(std::span<const float> x, std::span<const float> w, double r, std::span<const float> y,
                    std::span<double> each) {
    std::array<double, lanes> sum{}, worst{};
    const auto one = [&](std::size_t j, std::size_t lane) {
        const double ideal = static_cast<double>(x[j]) * (w.empty() ? 1.0 : static_cast<double>(w[j])) * r;
        const auto field = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::fabs(ideal)) >> 52);
        const std::int64_t e = std::max<std::int64_t>(field, F::emin + 1023);
        const auto scale =
            std::bit_cast<double>(static_cast<std::uint64_t>(2046 + F::precision - 1 - e) << 52);
        const double fraction = (static_cast<double>(y[j]) - ideal) * scale;
        each[j] = fraction;
        sum[lane] += fraction;
        worst[lane] = std::fabs(fraction) > worst[lane] ? std::fabs(fraction) : worst[lane];
    };
    std::size_t j = 0;
    for (; j + lanes <= x.size(); j += lanes)
        for (std::size_t k = 0; k < lanes; ++k) one(j + k, k);
    for (; j < x.size(); ++j) one(j, 0);
    Fractions f;
    for (std::size_t k = 0; k < lanes; ++k) {
        f.sum += sum[k];
        f.worst = std::max(f.worst, worst[k]);
    }
    f.finite = std::isfinite(f.sum);
    return f;
}

// In f64: the octave is what matters.
double root_mean_square(std::span<const float> x) {
    std::array<double, lanes> sum{};
    for (std::size_t j = 0; j < x.size(); ++j) sum[j % lanes] += static_cast<double>(x[j]) * static_cast<double>(x[j]);
    double s = 0;
    for (const double v : sum) s += v;
    return std::sqrt(s / static_cast<double>(x.size()));
}

template <class F>
std::int64_t worst_steps(std::span<const std::byte> y, std::span<const std::uint32_t> ideal) {
    std::int64_t worst = 0;
    bool nan = false;
    const auto word = [&](std::size_t j) {
        typename F::Word w;
        std::memcpy(&w, y.data() + j * sizeof w, sizeof w);
        return w;
    };
    for (std::size_t j = 0; j < ideal.size(); ++j) {
        const auto want = static_cast<typename F::Word>(ideal[j]);
        nan = nan || F::is_nan(word(j)) || F::is_nan(want);
        const std::int64_t steps = F::ordinal(word(j)) - F::ordinal(want);
        worst = std::max(worst, steps < 0 ? -steps : steps);
    }
    if (!nan) return worst;
    worst = 0;
    for (std::size_t j = 0; j < ideal.size(); ++j) {
        const std::int64_t steps = ulp_steps(type_of<F>, word(j), ideal[j]);
        worst = std::max(worst, steps < 0 ? -steps : steps);
    }
    return worst;
}

}  // namespace

template <class F>
void Measurer::elements(const Rows& rows, std::int64_t row, std::span<const float> x, double r) {
    const auto y = rows.y();
    const auto ideal = [&](std::size_t j) {
        return static_cast<double>(x[j]) * (gain_.w.empty() ? 1.0 : static_cast<double>(gain_.w[j])) * r;
    };
    fractions_.resize(y.size());
    Fractions f = fractions<F>(x, gain_.w, r, y, fractions_);
    const auto fraction = [&](std::size_t j) {
        return ulp_error(type_of<F>, encode(type_of<F>, y[j]), ideal(j));
    };
    if (!f.finite) {  // Inf or NaN somewhere: one by one
        f = {};
        for (std::size_t j = 0; j < y.size(); ++j) {
            const double e = fractions_[j] = fraction(j);
            if (std::isfinite(e)) f.sum += e;
            f.worst = std::max(f.worst, std::fabs(e));
        }
    }
    row_worst_ulp_ = f.worst;
    measure.errors.add(fractions_);
    measure.sum_ulp += f.sum;
    if (f.worst > measure.worst_ulp || measure.worst.row < 0) {
        measure.worst_ulp = f.worst;
        std::size_t at = 0;
        double best = -1;
        for (std::size_t j = 0; j < y.size(); ++j)
            if (const double e = std::fabs(fraction(j)); e > best) best = e, at = j;
        const float w = rows.w().empty() ? 1.0f : rows.w()[at];
        measure.worst = {
            row, static_cast<std::int64_t>(at), x[at], w, encode(type_of<F>, y[at]), ideal_[at], ideal_[at]};
    }
    measure.worst_steps = std::max(measure.worst_steps, worst_steps<F>(rows.y_bytes(), ideal_));
}

void Measurer::row(const Rows& rows, std::int64_t row, const RowSet& fitted, By by, bool overflowed) {
    ++measure.rows;
    measure.elements += static_cast<std::int64_t>(rows.y().size());
    if (overflowed) return;
    const auto x = rows.normalised(contract_.residual);
    const bool unrounded =
        contract_.residual == Residual::unrounded || contract_.residual == Residual::norm_unrounded;
    // Where variance and normalisation see different sums there is no ideal of one row: the normalised one is
    // taken.
    const double r = ideal_r(x, eps_);
    ideal_.resize(x.size());
    oracle_row(Oracle::ideal, {unrounded ? Type::f32 : contract_.x, gain_.type, contract_.y}, x, gain_.w,
               eps_, ideal_);
    with_format(contract_.y, [&](auto f) { elements<decltype(f)>(rows, row, x, r); });

    const auto seen = rows.statistic_input(contract_.residual);
    const double row_r = ideal_r(seen, eps_);
    RmsBin& bin = measure.by_rms[rms_octave(root_mean_square(seen))];
    bin.merge({1, row_worst_ulp_, 0});
    if (std::isfinite(row_r) && row_r > 0 && row_r * row_r * eps_ * 17 > 16) ++measure.eps_dominated_rows;
    if (!fitted.any || !std::isfinite(row_r) || row_r == 0) return;
    const double scalar = by == By::div ? 1 / row_r : row_r;
    const double off =
        std::max({static_cast<double>(fitted.lo) - scalar, scalar - static_cast<double>(fitted.hi), 0.0});
    const double ulp32 = off / ulp_at(Type::f32, scalar);
    measure.worst_r_ulp32 = std::max(measure.worst_r_ulp32, ulp32);
    bin.worst_r_ulp32 = std::max(bin.worst_r_ulp32, ulp32);
}

void Measurer::outside(const Rows& rows, std::span<const RowView> claim) {
    std::vector<std::vector<ElementSet>> allowed;
    for (const RowView& v : claim) allowed.push_back(v.elements());
    for (std::size_t j = 0; j < rows.y().size(); ++j) {
        const std::uint32_t got = encode(contract_.y, rows.y()[j]);
        if (std::none_of(allowed.begin(), allowed.end(),
                         [&](const auto& e) { return allows(contract_.y, e[j], got); }))
            ++measure.outside;
    }
}

}  // namespace judging
}  // namespace ulpgate
