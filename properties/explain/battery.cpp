#include "properties/explain/battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

std::vector<Tensors> batches(const Op& op, const Contract& c, std::int64_t d, std::int64_t rows, std::int64_t few) {
    std::vector<Row> all;
    for (std::int64_t i = 0; i < rows; ++i) {
        Rng rng(seed, 6, static_cast<std::uint64_t>(i));
        Row x(static_cast<std::size_t>(d));
        for (float& v : x) v = 0.5f + static_cast<float>(rng.below(256)) / 256;
        if (i % 4) x[rng.below(static_cast<std::uint32_t>(std::min<std::int64_t>(d, 4)))] = 4096;
        all.push_back(std::move(x));
    }
    std::vector<Tensors> out{lay(op, c, d, all, 1e-6)};
    for (std::int64_t at = 0; at < rows; at += few)
        out.push_back(lay(op, c, d, {all.begin() + at, all.begin() + std::min(at + few, rows)}, 1e-6, 0, static_cast<std::size_t>(at)));
    return out;
}

}  // namespace ulpgate::naming
