// The numbers are proven, not sampled. Write f for the first member's map, P for the scalars that give the
// row's outputs and [lo, hi] for a member's statistic interval; u = 2^-24, kappa as in
// reference/admissible/statistic.hpp.
//   r        The kernel's r lies in P. Scaled by 1 + delta it is at least P.lo (1 + delta); as f is monotone,
//   every output
//            is at least |f(P.lo (1 + delta))|. Where some output exceeds |f'(hi)| of a member f', no scalar
//            of that member gives it. So delta = t / P.lo - 1 shows, t the least scalar at which each member
//            is exceeded somewhere.
//   eps      r = rsqrt(m + eps) with m computed as before: eps (1 + delta) scales r by ((m+eps)/(m+eps+eps
//   delta))^1/2, up
//            to the roundings of the sum with eps and of the root on both sides: (4 kappa + 4) u. m <= v (1 +
//            rho)(1 + 8u).
//   column   Without x_j^2 the statistic set's lower end rises to at least lo (1 - x_j^2 lo^2 / d)^-1/2: the
//   sum bound
//            shrinks with its terms. The column shows when that reaches t.
//   order    The other gain order at the same r lies, element by element, between its values at the ends of
//   P. Where that
//            misses the interval of each member at some element, and so for every association, it shows.
// The kernel may be any member that fits, so each takes its turn as f, and what is printed is the worst of
// them. Rows whose set holds more than an interval (overflow, zeros, infinities) are left out.
#include "properties/judge/sight.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ulpgate::judging {
namespace {

constexpr double u = 0x1p-24;
constexpr std::size_t chunk = 128;
constexpr double slack = 1e-12;  // far above the roundings of this file's doubles, far below u

}  // namespace

Observer::Observer(const Contract& c, double eps, std::int64_t d)
    : eps_(eps),
      noise_((4 * std::max<double>(c.rsqrt, 0.5) + 4) * u),
      d_stat_(c.stat_width ? c.stat_width : d) {
    columns_.assign(static_cast<std::size_t>(d), false);
}

Sight Observer::finish() {
    sight_.column[static_cast<std::int64_t>(columns_.size())] = columns_;
    sight_.count();
    return sight_;
}

float Observer::edge(Way way) const {
    const RowView& v = claim_.front();
    return (way == Way::up) != v.divides() ? v.set->hi : v.set->lo;
}

double Observer::change_to(Way way, float scalar) const {
    const double s = static_cast<double>(scalar), lo = static_cast<double>(fitted_.lo),
                 hi = static_cast<double>(fitted_.hi);
    const double ratio =
        claim_.front().divides() ? (way == Way::up ? hi / s : lo / s) : (way == Way::up ? s / lo : s / hi);
    return way == Way::up ? ratio * (1 + slack) - 1 : 1 - ratio * (1 - slack);
}

// A scalar at or beyond which change_to() is no better than `change`.
float Observer::scalar_after(Way way, double change) const {
    const double lo = static_cast<double>(fitted_.lo), hi = static_cast<double>(fitted_.hi);
    const double factor = way == Way::up ? 1 + change : 1 - change;
    const double s =
        claim_.front().divides() ? (way == Way::up ? hi : lo) / factor : (way == Way::up ? lo : hi) * factor;
    constexpr double max = 0x1.fffffep127;
    return static_cast<float>(std::clamp(s, 0x1p-149, max));
}

bool Observer::visible(Way way, float scalar) {
    const RowView& first = claim_.front();
    auto& far = far_[static_cast<int>(way)];
    if (far.empty()) {
        for (const RowView& v : claim_) {
            far.emplace_back(v.x.size());
            v.apply((way == Way::up) != v.divides() ? v.set->hi : v.set->lo, far.back());
            for (float& y : far.back()) y = std::fabs(y);
        }
    }
    std::vector<bool> beyond(claim_.size(), false);
    std::array<float, chunk> buffer;
    for (std::size_t at = 0; at < first.x.size(); at += chunk) {
        const std::span<float> y(buffer.data(), std::min(chunk, first.x.size() - at));
        first.columns(at, y.size()).apply(scalar, y);
        bool all = true;
        for (std::size_t m = 0; m < claim_.size(); ++m) {
            if (beyond[m]) continue;
            const float* f = far[m].data() + at;
            int found = 0;
            if (way == Way::up)
                for (std::size_t j = 0; j < y.size(); ++j) found |= std::fabs(y[j]) > f[j];
            else
                for (std::size_t j = 0; j < y.size(); ++j) found |= std::fabs(y[j]) < f[j];
            beyond[m] = found != 0;
            all = all && found;
        }
        if (all) return true;
    }
    return false;
}

// The scalar nearest to the set that shows. visible_at shows.
float Observer::threshold(Way way, float visible_at) {
    const auto bits = [](float v) { return static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(v)); };
    std::int64_t dark = bits(edge(way)), light = bits(visible_at);
    for (std::int64_t step = 1; std::abs(light - dark) > 1;) {  // near the set first
        const std::int64_t way_to = light > dark ? 1 : -1;
        std::int64_t at = dark + way_to * step;
        if (step >= std::abs(light - dark)) at = dark + (light - dark) / 2, step = 0;
        if (visible(way, std::bit_cast<float>(static_cast<std::uint32_t>(at))))
            light = at, step = std::abs(light - dark);
        else
            dark = at, step = step ? step * 4 : std::abs(light - dark);
    }
    return std::bit_cast<float>(static_cast<std::uint32_t>(light));
}

double Observer::eps_from(Way way, double change) const {
    if (way == Way::up) {  // r rises where eps falls
        const double ratio = (1 + change) * (1 + 1.001 * noise_);
        const double e = dominance_ * (1 - 1 / (ratio * ratio)) * (1 + slack) + slack;
        return e <= 1 ? e : Sight::unseen;
    }
    const double left = 1 - change - noise_;
    return left > 0 ? dominance_ * (1 / (left * left) - 1) * (1 + slack) + slack : Sight::unseen;
}

double Observer::r_from(Way way, double change_of_eps) const {
    if (way == Way::up) {
        const double rest = 1 - std::min(change_of_eps, 1.0) / dominance_;
        return rest > 0 ? 1 / std::sqrt(rest) - 1 - noise_ : Sight::unseen;
    }
    return 1 - 1 / std::sqrt(1 + change_of_eps / dominance_) - noise_;
}

void Observer::high(std::span<const float> input) {
    const RowView& v = claim_.front();
    double r_lo = static_cast<double>(v.set->lo);
    if (v.divides()) r_lo = (1 - slack) / static_cast<double>(v.set->hi);
    const double weight = r_lo * r_lo / static_cast<double>(d_stat_) * (1 - slack);
    float largest = 0;  // of the columns that no row has shown yet
    const auto n = std::min(input.size(), static_cast<std::size_t>(d_stat_));
    for (std::size_t j = 0; j < n; ++j)
        if (!columns_[j]) largest = std::max(largest, std::fabs(input[j]));
    const auto raised = [&](float x) {  // lower end of r without this column
        const double q = static_cast<double>(x) * static_cast<double>(x) * weight;
        const double r = q < 1 ? r_lo / std::sqrt(1 - q) * (1 - slack) : 0x1p127;
        const double s = v.divides() ? 1 / r : r;
        return static_cast<float>(std::clamp(s * (v.divides() ? 1 + u : 1 - u), 0x1p-149, 0x1p127));
    };
    const auto more = [&](float a, float b) { return (v.divides() ? a < b : a > b) ? a : b; };
    float farthest = scalar_after(Way::up, sight_.r_high);
    if (eps_ >= 0x1p-100) farthest = more(farthest, scalar_after(Way::up, r_from(Way::up, sight_.eps_low)));
    if (largest > 0) farthest = more(farthest, raised(largest));
    if (more(farthest, edge(Way::up)) == edge(Way::up) || !visible(Way::up, farthest)) return;
    const float t = threshold(Way::up, farthest);
    const double change = change_to(Way::up, t);
    sight_.r_high = std::min(sight_.r_high, change);
    if (eps_ >= 0x1p-100) sight_.eps_low = std::min(sight_.eps_low, eps_from(Way::up, change));
    for (std::size_t j = 0; j < n; ++j)
        if (input[j] != 0 && more(raised(std::fabs(input[j])), t) == raised(std::fabs(input[j])))
            columns_[j] = true;
}

void Observer::low() {
    const bool div = claim_.front().divides();
    const auto more = [div](float a, float b) { return (div ? a > b : a < b) ? a : b; };
    float farthest = scalar_after(Way::down, std::min(sight_.r_low, 1.0));
    if (eps_ >= 0x1p-100)
        farthest = more(farthest, scalar_after(Way::down, std::min(r_from(Way::down, sight_.eps_high), 1.0)));
    if (more(farthest, edge(Way::down)) == edge(Way::down) || !visible(Way::down, farthest)) return;
    const double change = change_to(Way::down, threshold(Way::down, farthest));
    sight_.r_low = std::min(sight_.r_low, change);
    if (eps_ >= 0x1p-100) sight_.eps_high = std::min(sight_.eps_high, eps_from(Way::down, change));
}

bool Observer::other_order() {
    const std::size_t n = claim_.front().x.size(), members = claim_.size();
    std::vector<bool> missed(others_.size() * members, false);
    std::size_t open = missed.size();
    std::array<std::array<float, chunk>, 4> buffer;
    for (std::size_t at = 0; at < n && open; at += chunk) {
        const std::size_t m = std::min(chunk, n - at);
        for (std::size_t o = 0; o < others_.size(); ++o) {
            Hypothesis other = *claim_.front().hypothesis;
            other.piece = others_[o];
            RowView view = claim_.front();
            view.hypothesis = &other;
            const std::span<float> a(buffer[0].data(), m), b(buffer[1].data(), m), lo(buffer[2].data(), m),
                hi(buffer[3].data(), m);
            bool have = false;
            for (std::size_t k = 0; k < members; ++k) {
                if (missed[o * members + k]) continue;
                if (!have) view.columns(at, m).apply(fitted_.lo, a), view.columns(at, m).apply(fitted_.hi, b);
                have = true;
                claim_[k].columns(at, m).apply(claim_[k].set->lo, lo);
                claim_[k].columns(at, m).apply(claim_[k].set->hi, hi);
                int found = 0;
                for (std::size_t j = 0; j < m; ++j)
                    found |= static_cast<int>(std::max(a[j], b[j]) < std::min(lo[j], hi[j])) |
                             static_cast<int>(std::min(a[j], b[j]) > std::max(lo[j], hi[j]));
                if (found) missed[o * members + k] = true, --open;
            }
        }
    }
    return open == 0;
}

void Observer::row(std::span<const RowView> claim, const RowSet& fitted, std::span<const float> input) {
    ++sight_.rows;
    if (!fitted.any) return;
    for (const RowView& v : claim)
        if (!v.set->interval || v.set->zero || v.set->inf || v.set->nan || v.set->spec_limit) return;
    claim_ = claim;
    fitted_ = fitted;
    for (auto& f : far_) f.clear();
    const auto& first = *claim.front().hypothesis;
    if (map_ == Map::none) {
        map_ = first.piece->map;
        sight_.cast_order = std::all_of(claim.begin(), claim.end(),
                                        [&](const RowView& v) { return v.hypothesis->piece->map == map_; });
        for (const MapPiece* p : maps::all())
            if (sight_.cast_order && p->map != map_ && p->by == first.piece->by) others_.push_back(p);
    }
    const double r = claim.front().set->r;
    dominance_ =
        eps_ > 0 ? std::max(1.0, 1 / (r * r * eps_)) * (1 + claim.front().set->rho) * (1 + 8 * u) : 0;
    high(input);
    low();
    if (!others_.empty() && other_order()) ++sight_.rows_cast_order;
}

Sight common(Sight a, const Sight& b) {
    a.r_high = std::max(a.r_high, b.r_high);
    a.r_low = std::max(a.r_low, b.r_low);
    a.eps_high = std::max(a.eps_high, b.eps_high);
    a.eps_low = std::max(a.eps_low, b.eps_low);
    a.cast_order = a.cast_order && b.cast_order;
    a.rows_cast_order = std::min(a.rows_cast_order, b.rows_cast_order);
    for (auto& [d, seen] : a.column)
        for (std::size_t j = 0; j < seen.size(); ++j) seen[j] = seen[j] && b.column.at(d)[j];
    a.count();
    return a;
}

}  // namespace ulpgate::judging
