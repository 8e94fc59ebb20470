#include "properties/explain/battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "properties/order/integers.hpp"
#include "reference/base/rng.hpp"
#include "reference/model/model.hpp"

namespace ulpgate::naming {
namespace {

using Row = std::vector<float>;
constexpr std::uint64_t seed = 0x6e616d65;

// Integers of up to eight bits in every column, some of them in 128..255, times 2^scale.
Row dense(std::int64_t d, std::uint64_t n, bool positive, int scale) {
    Rng rng(seed, 1, n);
    const auto most = static_cast<std::uint32_t>(
        std::clamp(std::sqrt(3 * 1e7 / static_cast<double>(d)), 2.0, 200.0));
    Row x(static_cast<std::size_t>(d));
    double left = 16777215;
    const auto put = [&](std::size_t j, double m) {
        left -= m * m - static_cast<double>(x[j]) * static_cast<double>(x[j]);
        x[j] = static_cast<float>(positive || rng.below(2) ? m : -m);
    };
    for (std::size_t j = 0; j < x.size(); ++j) put(j, 1 + rng.below(most));
    for (std::uint32_t k = 0; k < std::min<std::uint32_t>(128, static_cast<std::uint32_t>(d)) && left > 65536; ++k)
        put(rng.below(static_cast<std::uint32_t>(d)), 128 + k);
    for (std::size_t j = 0; j < x.size() && left < 0; ++j) put(j, 1);
    for (float& v : x) v = std::ldexp(v, scale);
    return x;
}

// `n` columns of it, all significands of eight bits.
Row sparse(std::int64_t d, std::uint64_t n, int columns, int scale) {
    Rng rng(seed, 2, n);
    Row x(static_cast<std::size_t>(d));
    for (int k = 0; k < columns; ++k)
        x[rng.below(static_cast<std::uint32_t>(d))] = std::ldexp(static_cast<float>(128 + (k * 37 + static_cast<int>(n)) % 128), scale) * (rng.below(2) ? 1.0f : -1.0f);
    return x;
}

// One large square, many small ones: a sum in a narrow type loses them.
Row mixed(std::int64_t d, std::uint64_t n) {
    Rng rng(seed, 3, n);
    Row x(static_cast<std::size_t>(d));
    const auto at = [&] { return rng.below(static_cast<std::uint32_t>(d)); };
    for (int k = 0; k < 200; ++k) x[at()] = static_cast<float>(8 * (1 + rng.below(15)));
    for (int k = 0; k < 40; ++k) x[at()] = static_cast<float>(8 * (128 + 2 * k));
    x[at()] = 2048;
    return x;
}

// r is an odd number of at most six bits times a power of two, in f32: products x·r lie midway between two values of T, in the first
// cast as well as in the second. A fault in only one of them shows.
std::vector<Row> midway(Type t, std::int64_t d, int scale) {
    std::vector<Row> out;
    if (t == Type::f32) return out;
    for (int odd = 3; odd < 64 && out.size() < 10; odd += 2) {
        Rng rng(seed, 7, static_cast<std::uint64_t>(odd));
        double target = static_cast<double>(d) / (static_cast<double>(odd) * odd);
        while (target < 0x1p22) target *= 4;
        target = std::round(target);
        const float m = static_cast<float>(target) / static_cast<float>(d);
        int e = 0;
        const float r = std::frexp(rsqrt_nearest(m), &e) * 64;
        Row x(static_cast<std::size_t>(d));
        if (r != std::floor(r) || !integer_row(rng, 255, x, rng.below(static_cast<std::uint32_t>(d)), 171, target)) continue;
        for (float& v : x) v = std::ldexp(v, scale);
        out.push_back(std::move(x));
    }
    return out;
}

// All the bits of T: what splits or cuts a value loses some.
Row gaussian(Type t, std::int64_t d, std::uint64_t n, int scale) {
    Rng rng(seed, 8, n);
    Row x(static_cast<std::size_t>(d));
    for (float& v : x) v = round_to(t, std::ldexp(static_cast<float>(rng.gauss()) * 0x1p-16f, scale));
    return x;
}

// One column, each significand of eight bits: mean squares all over two binades, so that each entry of a table of roots is met.
Row one_hot(std::int64_t d, int k) {
    Row x(static_cast<std::size_t>(d));
    x[static_cast<std::size_t>(k * 61 % d)] = static_cast<float>(128 + k);
    return x;
}

// Close to eps, the largest magnitude a power of two: rows that a kernel scales by it.
std::vector<Row> powers(std::int64_t d) {
    std::vector<Row> out{Row(static_cast<std::size_t>(d), 0x1p-10f), Row(static_cast<std::size_t>(d), 0x1p-13f), sparse(d, 80, 100, -20)};
    out[2][static_cast<std::size_t>(7 % d)] = 0x1p-12f;
    return out;
}

std::vector<Row> main_rows(Type t, std::int64_t d) {
    std::vector<Row> out;
    for (std::uint64_t n = 0; n < 8; ++n) out.push_back(dense(d, n, n % 3 == 0, t == Type::fp16 ? 2 : 4));
    for (int k = 0; k < 13; ++k) {
        out.push_back(dense(d, 20 + static_cast<std::uint64_t>(k), k % 3 == 0, k - 24));
        out.push_back(sparse(d, static_cast<std::uint64_t>(k), 100, k - 24));
    }
    for (std::uint64_t n = 0; n < 6; ++n) out.push_back(mixed(d, n));
    for (std::uint64_t n = 0; n < 8; ++n) out.push_back(sparse(d, 40 + n, 1, 4));
    for (std::uint64_t n = 0; n < 6; ++n) out.push_back(sparse(d, 60 + n, 2, n % 2 ? -17 : 3));
    for (Row& x : midway(t, d, t == Type::fp16 ? 2 : 4)) out.push_back(std::move(x));
    for (Row& x : powers(d)) out.push_back(std::move(x));
    for (const int scale : {0, -10, -4, 5}) out.push_back(gaussian(t, d, out.size(), scale));
    for (int k = 0; k < 128; ++k) out.push_back(one_hot(d, k));
    return out;
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

std::vector<Row> special_rows(Type t, std::int64_t d) {
    const Row zero(static_cast<std::size_t>(d));
    std::vector<Row> out{zero};
    const auto with = [&](float a, float b) {
        Row x = zero;
        x[static_cast<std::size_t>(3 % d)] = a, x[static_cast<std::size_t>(5 % d)] = b;
        out.push_back(x);
    };
    with(nan, 1), with(inf, 1), with(1, -inf);
    if (t == Type::fp16) return out;
    Row tiny(static_cast<std::size_t>(d), 0x1p-130f), steep(static_cast<std::size_t>(d));
    for (std::size_t j = 0; j < steep.size(); ++j) steep[j] = std::ldexp(static_cast<float>(1 + j % 7), -124);
    steep[static_cast<std::size_t>(9 % d)] = 1024;
    out.push_back(tiny), out.push_back(steep);
    return out;
}

// Squares on both sides of 2^-126, where no eps covers them.
Row underflowing(std::int64_t d) {
    Row x(static_cast<std::size_t>(d));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = j % 2 ? 0x1.ep-64f : 0x1p-62f;
    return x;
}

void fill_gain(Tensors& t) {
    Tensor* w = t.find("w");
    if (!w) return;
    Row gain(static_cast<std::size_t>(w->width()));
    const bool offset = t.contract.gain == Gain::one_plus || t.contract.gain == Gain::one_plus_t;
    for (std::size_t j = 0; j < gain.size(); ++j) {
        Rng rng(seed, 4, j);
        const float m = 0.5f + 0x1.8p-23f * static_cast<float>(rng.below(1 << 23));
        gain[j] = (offset ? m / 3 : m) * (rng.below(4) ? 1.0f : -1.0f);
    }
    w->write_row(0, gain);
}

// Rows whose sum of squares is d·t, or t times a power of two, t midway between two f32 values, the lower of which is
// even, and more squares that are `part` of an f64 ulp of that sum: one after another they are lost, added up first they are not.
// Then the mean square, or the sum, rounds up, and the output of a column chosen for it moves. Squares of eight bits: exact in f64.
class Ties {
  public:
    Ties(std::int64_t d, std::span<const float> gain, std::span<const Model> models) : d_(d), gain_(gain), models_(models) {}

    std::optional<Row> row(int kind, bool two_roots, double part, std::uint64_t n) const {
        Rng rng(seed, 9, n);
        const Model& m = models_[static_cast<std::size_t>(n) % models_.size()];
        const std::size_t j = static_cast<std::size_t>(n % 8) % static_cast<std::size_t>(d_);
        std::vector<float> values(128), gains(gain_.empty() ? 0 : 128, gain_.empty() ? 0 : gain_[j]), lo(128), hi(128);
        for (std::size_t k = 0; k < 128; ++k) values[k] = static_cast<float>(32 * (128 + k));
        const double times = kind == 0 ? static_cast<double>(d_) : std::exp2(std::floor(std::log2(static_cast<double>(d_))));
        for (int tries = 0; tries < 4000; ++tries) {
            const double t = 4 * (5000000.0 + rng.below(1200000)) + 1;
            const float below = scalar(m, kind, two_roots, t - 1, times), above = scalar(m, kind, two_roots, t + 1, times);
            if (below == above) continue;
            m.elements(values, gains, below, lo);
            m.elements(values, gains, above, hi);
            for (std::size_t k = 0; k < 128; ++k)
                if (lo[k] != hi[k]) return filled(j, values[k], times * t, part, rng);
        }
        return {};
    }

  private:
    float scalar(const Model& m, int kind, bool two_roots, double t, double times) const {
        const auto s = static_cast<float>(times * t), n = static_cast<float>(d_);
        const float v = kind == 0 ? static_cast<float>(t) : kind == 1 ? s / n : s * (1 / n);
        return m.map->by == By::div ? std::sqrt(v) : two_roots ? 1 / std::sqrt(v) : rsqrt_nearest(v);
    }
    std::optional<Row> filled(std::size_t at, float value, double sum, double part, Rng& rng) const {
        Row x(static_cast<std::size_t>(d_));
        x[at] = value;
        double left = sum - static_cast<double>(value) * static_cast<double>(value);
        std::size_t j = 0;
        for (; j < x.size() && left > 0; ++j) {
            if (j == at) continue;
            double v = 32.0 * (128 + rng.below(128));
            if (left - v * v < 0x1p26) {  // what is left, its eight highest bits at a time
                v = std::floor(std::sqrt(left));
                const double unit = std::exp2(std::max(0.0, std::floor(std::log2(v)) - 7));
                v = std::floor(v / unit) * unit;
            }
            x[j] = static_cast<float>(v);
            left -= v * v;
        }
        if (left != 0) return {};
        const auto tiny = static_cast<float>(std::sqrt(std::exp2(std::floor(std::log2(sum)) - 52) * part));
        const float exact = std::exp2(std::floor(std::log2(tiny)));
        for (; j < x.size(); ++j)
            if (j != at) x[j] = exact;
        return x;
    }

    std::int64_t d_;
    std::span<const float> gain_;
    std::span<const Model> models_;
};

// x + residual rounds; in every fourth row all the same way.
void fill_residual(Tensors& t, const std::vector<Row>& rows, std::size_t first) {
    Tensor* res = t.find("residual");
    if (!res) return;
    Row r(static_cast<std::size_t>(res->width()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Rng rng(seed, 5, first + i);
        for (std::size_t j = 0; j < r.size(); ++j) {
            const float x = rows[i][j];
            const float part = (first + i) % 4 == 3 ? 0.4f : static_cast<float>(rng.below(1000)) / 1000 - 0.5f;
            r[j] = std::isfinite(x) ? x * std::ldexp(part, 1 - precision(t.contract.x)) : 0;
        }
        res->write_row(static_cast<std::int64_t>(i), r);
    }
}

Tensors lay(const Op& op, const Contract& c, std::int64_t d, const std::vector<Row>& rows, double eps, std::int64_t ld = 0, std::size_t first = 0) {
    Sizes sizes;
    op.defaults(sizes);
    sizes[op.d] = d;
    sizes[Dim::batch] = 1;
    sizes[Dim::tokens] = static_cast<std::int64_t>(rows.size());
    op.derive(sizes);
    Tensors t = lay_out(op, c, sizes, ld, ld);
    t.eps = t.config_eps = eps;
    Tensor& x = *t.find("x");
    for (std::size_t i = 0; i < rows.size(); ++i) x.write_row(static_cast<std::int64_t>(i), rows[i]);
    fill_gain(t);
    fill_residual(t, rows, first);
    return t;
}

}  // namespace

std::vector<Tensors> battery(const Op& op, const Contract& c, std::int64_t d) {
    std::vector<Tensors> out;
    out.push_back(lay(op, c, d, main_rows(c.x, d), 1e-6));
    std::vector<Row> second, strided;
    for (int k = 0; k < 8; ++k) second.push_back(dense(d, 100 + static_cast<std::uint64_t>(k), k % 3 == 0, k - 18));
    for (int k = 0; k < 4; ++k) strided.push_back(dense(d, 120 + static_cast<std::uint64_t>(k), false, k - 4));
    out.push_back(lay(op, c, d, second, 1e-2));
    out.push_back(lay(op, c, d, strided, 1e-6, d + 8));
    out.push_back(lay(op, c, d, {dense(d, 130, false, -12)}, 1e-6));
    out.push_back(lay(op, c, d, special_rows(c.x, d), 1e-6));
    std::vector<Row> bare{dense(d, 140, true, -12)};
    if (c.x != Type::fp16) bare.push_back(underflowing(d));
    out.push_back(lay(op, c, d, bare, 0));
    return out;
}

namespace {

std::vector<Tensors> in_batches(const Op& op, const Contract& c, std::int64_t d, const std::vector<Row>& all, std::int64_t few) {
    const auto rows = static_cast<std::int64_t>(all.size());
    std::vector<Tensors> out{lay(op, c, d, all, 1e-6)};
    for (std::int64_t at = 0; at < rows; at += few)
        out.push_back(lay(op, c, d, {all.begin() + at, all.begin() + std::min(at + few, rows)}, 1e-6, 0, static_cast<std::size_t>(at)));
    return out;
}

}  // namespace

std::vector<Tensors> batches(const Op& op, const Contract& c, std::int64_t d, std::int64_t rows, std::int64_t few) {
    std::vector<Row> all;
    for (std::int64_t i = 0; i < rows; ++i) {
        Rng rng(seed, 6, static_cast<std::uint64_t>(i));
        Row x(static_cast<std::size_t>(d));
        for (float& v : x) v = 0.5f + static_cast<float>(rng.below(256)) / 256;
        if (i % 4) x[rng.below(static_cast<std::uint32_t>(std::min<std::int64_t>(d, 4)))] = 4096;
        all.push_back(std::move(x));
    }
    return in_batches(op, c, d, all, few);
}

std::vector<Tensors> tie_batches(const Op& op, const Contract& c, std::int64_t d, std::span<const Model> models, std::int64_t rows, std::int64_t few) {
    if (models.empty()) return {};
    const Tensors one = lay(op, c, d, {Row(static_cast<std::size_t>(d))}, 1e-6);
    Row gain;
    if (const Tensor* w = one.find("w")) w->read_row(0, gain = Row(static_cast<std::size_t>(d)));
    const Ties ties(d, gain, models);
    std::vector<Row> all;
    std::uint64_t n = 0;
    for (const double part : {0.25, 0x1p-4, 0x1p-6})
        for (const bool two_roots : {false, true})
            for (int kind = 0; kind < 6; ++kind)
                if (auto x = ties.row(kind % 3, two_roots, part, n++)) all.push_back(std::move(*x));
    if (all.empty()) return {};
    const auto distinct = all.size();
    while (all.size() < static_cast<std::size_t>(rows)) all.push_back(Row(all[all.size() - distinct]));
    return in_batches(op, c, d, all, few);
}

}  // namespace ulpgate::naming
