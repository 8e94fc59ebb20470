#include "reference/stages/query_stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/admissible/statistic.hpp"
#include "reference/formats/convert.hpp"
#include "reference/formats/ulp.hpp"

namespace ulpgate {
namespace {

using Real = long double;

std::vector<float> sums(Matrix& w, Projection p, const QueryPieces& pieces, std::span<const float> x, std::span<const float> bias) {
    p.round = Type::f32;
    if (p.bias == Bias::after) p.bias = Bias::none;
    std::vector<float> out(static_cast<std::size_t>(w.rows()));
    restate(w, p, pieces, x, bias, out);
    return out;
}

Real weight(const WeightRow& row, std::size_t k) {
    const Real s = row.scale.empty() ? 1.0L : static_cast<Real>(row.scale[k / static_cast<std::size_t>(row.block)]);
    return static_cast<Real>(row.w[k]) * s;
}

Real r_of(std::span<const Real> a, double eps) {
    Real s = 0;
    for (const Real v : a) s += v * v;
    return 1 / std::sqrt(s / static_cast<Real>(a.size()) + static_cast<Real>(eps));
}
Real norm2(std::span<const Real> a) {
    Real s = 0;
    for (const Real v : a) s += v * v;
    return std::sqrt(s);
}

// 0 of an exact 0, or a normal number: what is below has no relative bound.
bool sound(Type t, float v, float before) {
    if (!std::isfinite(v) || !std::isfinite(before)) return false;
    if (v == 0) return before == 0;
    return with_format(t, [&](auto f) { return std::fabs(v) >= decltype(f)::decode(decltype(f)::min_normal_word); });
}

// A row of the second matrix against everything that may enter it.
struct Dots {
    Real ideal = 0, summed = 0, cast = 0, n = 0, t = 0, z = 0;  // of w g times each, g the gain; of w z
    double sum_spread = 0, cast_spread = 0;                     // of |w g| times what the first sum, its cast may move a by
    double sizes = 0, z_sizes = 0, squares = 0;                 // sums of |w g a|, |w z|, (w z)^2
};

// What a token needs beside its trace, real or proven.
struct Token {
    std::vector<Real> a_ideal, a_summed;
    std::vector<double> sum_moves, cast_moves;  // at most, each a
    std::vector<Real> gain;
    std::array<Real, 6> r{};  // of a_ideal, of a_summed; of a: exact, after the sum, the mean, eps
    Real scalar = 0;          // r^
    double rho = 0;           // bound on the sum of squares
};

}  // namespace

std::string why_no_query_stages(const Contract& c) {
    if (c.map == Map::f32_gain && c.assoc != Assoc::any && c.assoc != Assoc::xr_w) return "its gain comes before r or x: only T((x r) w) is taken apart here";
    if (c.gain != Gain::given) return "its gain is not a given factor";
    return "";
}

QueryTrace QueryStager::trace(std::int64_t token) {
    const auto& pieces = path_.model().pieces;
    QueryTrace k;
    k.z = path_.input(token);
    if (path_.has_rank()) {
        const auto& p = path_.first_projection();
        k.a_sum = sums(path_.first_matrix(), p, pieces, k.z, path_.bias());
        k.a = k.a_sum;
        for (std::size_t j = 0; j < k.a.size(); ++j) {
            if (p.round != Type::f32) k.a[j] = round_to(p.round, k.a[j]);
            if (p.bias == Bias::after) k.a[j] = round_to(p.round, k.a[j] + path_.bias()[j]);
        }
        k.norm = norm_.scalars(norm_.sum_of(k.a), k.a, path_.eps());
        const Contract& c = path_.model().contract;
        const auto gain = path_.gain();
        const std::size_t n = k.a.size();
        k.n.resize(n), k.t.resize(n), k.z.resize(n);
        for (std::size_t j = 0; j < n; ++j) {
            k.n[j] = norm_.map->by == By::div ? k.a[j] / k.norm.scalar : k.a[j] * k.norm.scalar;
            k.t[j] = c.map == Map::cast_first ? round_to(c.x, k.n[j]) : k.n[j] * gain[j];
            k.z[j] = c.map == Map::cast_first ? round_to(c.x, k.t[j] * gain[j]) : round_to(c.x, k.t[j]);
        }
    }
    const auto& p = path_.second_projection();
    k.q_sum = sums(path_.second_matrix(), p, pieces, k.z, {});
    k.q = k.q_sum;
    if (p.round != Type::f32)
        for (float& v : k.q) v = round_to(p.round, v);
    return k;
}

namespace {

Token token_of(QueryPath& path, const Model& norm, std::int64_t token, const QueryTrace& k) {
    Token t;
    const auto h = path.input(token);
    const std::size_t n = k.a.size();
    const bool after = path.first_projection().bias == Bias::after;
    const auto& sets = path.first(exactly(h));
    const Contract& c = path.model().contract;
    const double theta = c.latent == Latent::t && c.x != Type::f32 ? std::ldexp(1.0, -precision(c.x)) : after ? 0x1p-24 : 0;
    for (std::size_t j = 0; j < n; ++j) {
        const double s = std::fabs(static_cast<double>(k.a_sum[j])), a = std::fabs(static_cast<double>(k.a[j]));
        t.sum_moves.push_back(sets[j].width);
        t.cast_moves.push_back(theta * (s + (after ? a : 0)) * (1 + 2 * theta));
    }
    for (std::size_t j = 0; j < n; ++j) {
        const WeightRow row = path.first_matrix().row(static_cast<std::int64_t>(j));
        const Real bias = path.bias().empty() ? 0.0L : static_cast<Real>(path.bias()[j]);
        Real s = bias;
        for (std::size_t i = 0; i < h.size(); ++i) s += weight(row, i) * static_cast<Real>(h[i]);
        t.a_ideal.push_back(s);
        t.a_summed.push_back(static_cast<Real>(k.a_sum[j]) + (after ? bias : 0.0L));
        t.gain.push_back(path.gain()[j]);
    }
    const std::vector<Real> a(k.a.begin(), k.a.end());
    const Real eps = static_cast<Real>(path.eps()), d = static_cast<Real>(n);
    t.r = {r_of(t.a_ideal, path.eps()), r_of(t.a_summed, path.eps()), r_of(a, path.eps()), 1 / std::sqrt(static_cast<Real>(k.norm.s) / d + eps),
           1 / std::sqrt(static_cast<Real>(k.norm.ms) + eps), 1 / std::sqrt(static_cast<Real>(k.norm.v))};
    t.scalar = norm.map->by == By::div ? 1 / static_cast<Real>(k.norm.scalar) : static_cast<Real>(k.norm.scalar);
    t.rho = statistic_set(path.model().contract, k.a, path.eps()).set.rho;
    return t;
}

Dots dots_of(const WeightRow& row, const Token& t, const QueryTrace& k, bool cast_first) {
    Dots d;
    for (std::size_t j = 0; j < k.z.size(); ++j) {
        const Real w = weight(row, j), wz = w * static_cast<Real>(k.z[j]);
        d.z += wz;
        d.z_sizes += static_cast<double>(std::fabs(wz));
        d.squares += static_cast<double>(wz * wz);
        if (k.a.empty()) continue;
        const Real wg = w * t.gain[j], a = static_cast<Real>(k.a[j]);
        d.ideal += wg * t.a_ideal[j];
        d.summed += wg * t.a_summed[j];
        d.cast += wg * a;
        d.n += wg * static_cast<Real>(k.n[j]);
        d.t += (cast_first ? wg : w) * static_cast<Real>(k.t[j]);
        d.sum_spread += static_cast<double>(std::fabs(wg)) * t.sum_moves[j];
        d.cast_spread += static_cast<double>(std::fabs(wg)) * t.cast_moves[j];
        d.sizes += static_cast<double>(std::fabs(wg * a));
    }
    return d;
}

// |a'_j r' - a_j r| <= (m_j (1 + rho) + |a_j| rho) r where each a_j moves by at most m_j, and r by at most rho = |m| / (|a| - |m|).
double carried(double spread, std::span<const double> moves, double sizes, double size, double r) {
    double m = 0;
    for (const double v : moves) m += v * v;
    m = std::sqrt(m);
    if (m == 0) return 0;
    if (!(m < size)) return std::numeric_limits<double>::infinity();
    const double rho = m / (size - m);
    return (spread * (1 + rho) + sizes * rho) * r * (1 + 0x1p-20);
}

// Bounds of the stages before the second projection, absolute.
QueryTerms bounds(const Contract& c, const Token& t, const Dots& d, const QueryTrace& k) {
    QueryTerms b{};
    const double theta = std::ldexp(1.0, -precision(c.x)), r = static_cast<double>(t.scalar), more = 1 + 8 * theta;
    b[0] = carried(d.sum_spread, t.sum_moves, d.sizes + d.cast_spread + d.sum_spread, static_cast<double>(norm2(t.a_ideal)), static_cast<double>(t.r[0]));
    b[1] = carried(d.cast_spread, t.cast_moves, d.sizes + d.cast_spread, static_cast<double>(norm2(t.a_summed)), static_cast<double>(t.r[1]));
    const auto relative = stage_bounds(c, t.rho, static_cast<std::int64_t>(k.a.size()));
    const double f = static_cast<double>(std::fabs(d.cast)) * r * (1 + 0x1p-12);
    for (std::size_t s = 0; s < row_stages; ++s) b[first_norm_stage + s] = f * relative[s];
    for (std::size_t s = row_stages; s < error_stages; ++s) b[first_norm_stage + s] = d.sizes * r * relative[s] * more;
    return b;
}

// F_1 - F_0 and so on up to what enters the second projection.
QueryTerms steps(const Token& t, const Dots& d, bool cast_first) {
    const Real f[] = {d.ideal * t.r[0], d.summed * t.r[1], d.cast * t.r[2], d.cast * t.r[3], d.cast * t.r[4], d.cast * t.r[5], d.cast * t.scalar, d.n, d.t, d.z};
    QueryTerms c{};
    for (std::size_t s = 0; s + 1 < std::size(f); ++s) c[s] = static_cast<double>(f[s + 1] - f[s]);
    if (!cast_first) std::swap(c[7], c[8]);  // the gain comes before the cast
    return c;
}

bool sound(const Contract& c, const QueryTrace& k) {
    const Type a = c.latent == Latent::f32 ? Type::f32 : c.x;
    for (std::size_t j = 0; j < k.a.size(); ++j) {
        const bool first = c.map == Map::cast_first;
        if (!sound(a, k.a[j], k.a_sum[j]) || !sound(Type::f32, k.n[j], k.a[j]) || !sound(first ? c.x : Type::f32, k.t[j], k.n[j]) || !sound(c.x, k.z[j], k.t[j])) return false;
    }
    return k.a.empty() || (std::isfinite(k.norm.v) && k.norm.v > 0 && std::isfinite(k.norm.scalar));
}

}  // namespace

QueryRow QueryStager::stages(std::int64_t token, const QueryTrace& k) {
    QueryRow out;
    const Contract& c = path_.model().contract;
    const bool finite = std::all_of(k.z.begin(), k.z.end(), [](float v) { return std::isfinite(v); });
    if (!finite || !sound(c, k)) return out.skipped = static_cast<std::int64_t>(k.q.size()), out;
    const bool first = c.map == Map::cast_first;
    Token t;
    if (!k.a.empty()) {
        t = token_of(path_, norm_, token, k);
        const Real ulp = static_cast<Real>(ulp_at(Type::f32, static_cast<double>(t.r[2])));
        const Real r[] = {t.r[2], t.r[3], t.r[4], t.r[5], t.scalar};
        for (std::size_t s = 0; s < row_stages; ++s) out.ulps32[s] = static_cast<double>((r[s + 1] - r[s]) / ulp);
    }
    const Type type = path_.second_projection().round;
    const auto& sets = path_.second(exactly(k.z));
    const double theta = type == Type::f32 ? 0 : std::ldexp(1.0, -precision(type));
    for (std::size_t o = 0; o < k.q.size(); ++o) {
        const Dots d = dots_of(path_.second_matrix().row(static_cast<std::int64_t>(o)), t, k, first);
        const Real ideal = k.a.empty() ? d.z : d.ideal * t.r[0];
        const double size = std::max(static_cast<double>(std::fabs(ideal)), std::sqrt(d.squares));
        if (!std::isfinite(k.q[o]) || !(size > 0) || !sound(type, k.q[o], k.q_sum[o])) {
            ++out.skipped;
            continue;
        }
        QueryTerms s{}, b{};
        if (!k.a.empty()) s = steps(t, d, first), b = bounds(c, t, d, k);
        s[9] = static_cast<double>(static_cast<Real>(k.q_sum[o]) - d.z);
        s[10] = static_cast<double>(k.q[o]) - static_cast<double>(k.q_sum[o]);
        b[9] = sets[o].width;
        b[10] = theta * std::fabs(static_cast<double>(k.q_sum[o]));
        const double ulp = ulp_at(type, size);
        for (std::size_t j = 0; j < query_stages; ++j) s[j] /= ulp, b[j] /= ulp;
        out.ulps.push_back(s);
        out.bound.push_back(b);
        out.total.push_back(static_cast<double>((static_cast<Real>(k.q[o]) - ideal) / static_cast<Real>(ulp)));
        out.output.push_back(static_cast<std::int64_t>(o));
    }
    return out;
}

}  // namespace ulpgate
