#include "reference/stages/query_stages.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

using Big = boost::multiprecision::cpp_bin_float_100;

Contract contract(std::string_view text) {
    Claim c;
    EXPECT_FALSE(parse(text, c)) << text;
    return c.at(0);
}

Tensors tensors(const Contract& c, std::int64_t rank, std::string_view op = "mla_query") {
    Sizes z;
    const Op& o = *find_op(op);
    o.defaults(z);
    z[Dim::batch] = 1, z[Dim::tokens] = 3, z[Dim::hidden] = 200, z[Dim::q_rank] = rank, z[Dim::heads] = 2, z[Dim::nope] = 9, z[Dim::rope] = 4, z[Dim::b_out] = 26;
    o.derive(z);
    Tensors t = lay_out(o, c, z);
    for (std::size_t k = 0; k < t.all.size(); ++k) {
        Tensor& v = t.all[k];
        if (!v.spec->input() || v.count() == 0) continue;
        std::vector<float> row(static_cast<std::size_t>(v.width()));
        for (std::int64_t i = 0; i < v.rows(); ++i) {
            Rng rng(11, k, static_cast<std::uint64_t>(i));
            for (float& f : row) f = static_cast<float>(rng.gauss()) * (v.type == Type::e4m3 ? 0x1p-12f : 0x1p-16f);
            v.write_row(i, row);
        }
    }
    return t;
}

Big weight(const WeightRow& row, std::size_t k) { return Big(row.w[k]) * (row.scale.empty() ? Big(1) : Big(row.scale[k / static_cast<std::size_t>(row.block)])); }

// The ideal output of every row of q_b, in 100 digits.
std::vector<Big> ideal(QueryPath& path, std::int64_t token) {
    std::vector<Big> z;
    for (const float v : path.input(token)) z.emplace_back(v);
    const auto times = [&](Matrix& m, std::span<const float> bias) {
        std::vector<Big> y;
        for (std::int64_t o = 0; o < m.rows(); ++o) {
            const auto row = m.row(o);
            Big s = bias.empty() ? Big(0) : Big(bias[static_cast<std::size_t>(o)]);
            for (std::size_t k = 0; k < z.size(); ++k) s += weight(row, k) * z[k];
            y.push_back(s);
        }
        return y;
    };
    if (path.has_rank()) {
        z = times(path.first_matrix(), path.bias());
        Big s = 0;
        for (const auto& v : z) s += v * v;
        const Big r = 1 / sqrt(s / static_cast<double>(z.size()) + Big(path.eps()));
        for (std::size_t k = 0; k < z.size(); ++k) z[k] *= r * Big(path.gain()[k]);
    }
    return times(path.second_matrix(), {});
}

struct Kind {
    const char* contract;
    std::int64_t rank;
};
constexpr Kind kinds[] = {{"bf16,cast_first", 48},         {"fp16,cast_first,a.order=lanes:8x2,b.order=pairwise", 48}, {"f32,cast_first,a.order=lanes:8x4", 48},
                          {"bf16,f32_gain,assoc=xr_w", 48}, {"bf16,cast_first,weights=e4m3:128x128", 48},                {"bf16,cast_first,bias=before", 48},
                          {"bf16,cast_first,bias=after", 48}, {"bf16,cast_first,latent=f32", 48},                         {"bf16,cast_first", 0}};

Model norm_of(const Contract& c) {
    Model m;
    const std::string text = std::string(name(c.x)) + (c.map == Map::f32_gain ? ",f32_gain,assoc=xr_w" : ",cast_first");
    EXPECT_FALSE(parse(text, m)) << text;
    return m;
}

// The contributions add up to the kernel's error, taken from an ideal that shares no line with them; each lies within its bound.
TEST(QueryStages, AddUpToTheWholeErrorAndStayWithinTheirBounds) {
    for (const auto& kind : kinds) {
        const auto c = contract(kind.contract);
        const Tensors t = tensors(c, kind.rank);
        QueryPath path(t, {c, {}, ""});
        const Model norm = norm_of(c);
        QueryStager stager(path, norm);
        QueryTerms largest{};
        std::size_t seen = 0;
        for (std::int64_t token = 0; token < path.tokens(); ++token) {
            const auto k = stager.trace(token);
            const auto row = stager.stages(token, k);
            const auto right = ideal(path, token);
            seen += row.ulps.size();
            for (std::size_t e = 0; e < row.ulps.size(); ++e) {
                const auto o = static_cast<std::size_t>(row.output[e]);
                double sum = 0, size = 0;
                for (std::size_t s = 0; s < query_stages; ++s) {
                    sum += row.ulps[e][s], size = std::max(size, std::fabs(row.ulps[e][s]));
                    largest[s] = std::max(largest[s], std::fabs(row.ulps[e][s]));
                    EXPECT_LE(std::fabs(row.ulps[e][s]), row.bound[e][s] + 1e-13) << kind.contract << " " << query_stage_names[s];
                }
                ASSERT_NEAR(sum, row.total[e], 1e-12 * std::max(1.0, size)) << kind.contract;
                // In the same ulps, from 100 digits.
                const double whole = static_cast<double>(Big(k.q[o]) - right[o]);
                if (std::fabs(row.total[e]) > 0.01) {
                    const double ulp = std::log2(whole / row.total[e]);
                    EXPECT_NEAR(ulp, std::round(ulp), 1e-9) << kind.contract << ": an ulp is a power of two";
                }
            }
        }
        EXPECT_GE(seen, 70u) << kind.contract;
        const bool casts = c.x != Type::f32;
        if (kind.rank) {
            EXPECT_GT(largest[0], 0) << kind.contract;
        }
        if (kind.rank && casts && c.latent == Latent::t) {
            EXPECT_GT(largest[1], 0.05) << kind.contract;
        }
        if (casts) {
            EXPECT_GT(largest[10], 0.4) << kind.contract;
        }
        EXPECT_GT(largest[9], 0) << kind.contract;
    }
}

// A token worked by hand, in fractions. Latent rank 2, eps 2^-21, two rows of q_b:
//   a = (7 + 2^-23, 1 + 2^-9): the f32 sum loses 2^-23, the cast 2^-9      so a^ = (7, 1)
//   mean of squares 25, exact in f32; 25 + 2^-21 rounds to 25              r^ = f32(1/5) = 13421773 / 2^26
//   n = f32(7 r^) = 11744051 / 2^23 (93952411 / 2^26 has three bits too many), f32(r^) = r^
//   t = T(n) = (179/128, 205/1024), gain (3, 5): z = T(537/128, 1025/1024) = (134/32, 1)
//   row (5, 3): 23.9375, a tie of T, to even 24; row (5, 2^-22): 20.9375 loses 2^-22, a tie too, to even 21
TEST(QueryStages, AnExampleByHand) {
    const auto c = contract("bf16,cast_first");
    Sizes z;
    const Op& op = *find_op("mla_query");
    op.defaults(z);
    z[Dim::batch] = 1, z[Dim::tokens] = 1, z[Dim::hidden] = 2, z[Dim::q_rank] = 2, z[Dim::heads] = 1, z[Dim::nope] = 1, z[Dim::rope] = 1;
    op.derive(z);
    Tensors t = lay_out(op, c, z);
    t.eps = 0x1p-21;
    const auto put = [&](std::string_view tensor, std::int64_t row, float a, float b) { t.find(tensor)->write_row(row, std::vector<float>{a, b}); };
    put("h", 0, 1, 1);
    put("a", 0, 7, 0x1p-23f), put("a", 1, 1, 0x1p-9f);
    put("q_gain", 0, 3, 5);
    put("q_b", 0, 5, 3), put("q_b", 1, 5, 0x1p-22f);
    QueryPath path(t, {c, {}, ""});
    const Model norm = norm_of(c);
    QueryStager stager(path, norm);
    const auto k = stager.trace(0);
    EXPECT_EQ(k.a_sum, (std::vector<float>{7, 1 + 0x1p-9f}));
    EXPECT_EQ(k.n, (std::vector<float>{11744051 * 0x1p-23f, 13421773 * 0x1p-26f}));
    EXPECT_EQ(k.t, (std::vector<float>{179 / 128.0f, 205 / 1024.0f}));
    EXPECT_EQ(k.z, (std::vector<float>{134 / 32.0f, 1}));
    EXPECT_EQ(k.q, (std::vector<float>{24, 21}));
    const auto row = stager.stages(0, k);
    ASSERT_EQ(row.ulps.size(), 2u);

    const auto pow2 = [](int e) { return Big(std::ldexp(1.0, e)); };
    const Big a0 = 7 + pow2(-23), a1 = 1 + pow2(-9), eps = pow2(-21);
    const auto r = [&](const Big& x, const Big& y) { return 1 / sqrt((x * x + y * y) / 2 + eps); };
    const Big r_hat = 13421773 * pow2(-26), n0 = 11744051 * pow2(-23), t0 = Big(179) / 128, t1 = Big(205) / 1024;
    const Big weights[2][2] = {{5, 3}, {5, pow2(-22)}};
    const Big sums[] = {Big(23.9375), Big(20.9375)}, casts[] = {24, 21};
    for (std::size_t o = 0; o < 2; ++o) {
        const Big w0 = weights[o][0] * 3, w1 = weights[o][1] * 5;  // times the gain
        const Big f[] = {(w0 * a0 + w1 * a1) * r(a0, a1), (w0 * 7 + w1 * a1) * r(7, a1), (w0 * 7 + w1) * r(7, 1), (w0 * 7 + w1) * r(7, 1), (w0 * 7 + w1) * r(7, 1),
                         (w0 * 7 + w1) / 5, (w0 * 7 + w1) * r_hat, w0 * n0 + w1 * r_hat, w0 * t0 + w1 * t1, weights[o][0] * 134 / 32 + weights[o][1], sums[o], casts[o]};
        for (std::size_t s = 0; s < query_stages; ++s) {
            const double right = static_cast<double>((f[s + 1] - f[s]) * 8);  // both outputs lie in [16, 32): an ulp is 2^-3
            EXPECT_NEAR(row.ulps[o][s], right, 1e-12 * std::fabs(right) + 1e-15) << o << " " << query_stage_names[s];
        }
        EXPECT_EQ(row.ulps[o][2], 0) << "50 is exact in any order";
        EXPECT_EQ(row.ulps[o][3], 0);
        EXPECT_EQ(row.ulps[o][10], 0.5);
    }
    EXPECT_EQ(row.ulps[1][9], -0x1p-19) << "2^-22 of an ulp of 2^-3";
    EXPECT_EQ(row.ulps[0][9], 0);
}

// What is traced is what the path's own restatement computes.
TEST(QueryStages, TheTraceIsTheRestatement) {
    for (const auto& kind : kinds) {
        auto c = contract(kind.contract);
        c.taps = Emit::out;
        const Tensors t = tensors(c, kind.rank);
        QueryPath path(t, {c, {}, ""});
        const Model norm = norm_of(c);
        QueryStager stager(path, norm);
        const auto out = path.run();
        for (std::size_t k = 0; k < t.all.size(); ++k) {
            const auto which = t.all[k].spec->name;
            if (!which.starts_with("tap_") || t.all[k].count() == 0 || (which == "tap_a" && c.latent == Latent::f32)) continue;
            for (std::int64_t token = 0; token < path.tokens(); ++token) {
                const auto trace = stager.trace(token);
                const auto& v = which == "tap_a" ? trace.a : which == "tap_norm" ? trace.z : trace.q;
                std::vector<float> got(v.size());
                unpack(t.all[k].type, out[k].data() + token * t.all[k].width() * bytes(t.all[k].type), got);
                EXPECT_EQ(got, v) << kind.contract << " " << which;
            }
        }
    }
}

TEST(QueryStages, WhatIsNotFiniteIsCounted) {
    const auto c = contract("bf16,cast_first");
    Tensors t = tensors(c, 48);
    std::vector<float> row(200, 1.0f);
    row[7] = std::numeric_limits<float>::infinity();
    t.find("h")->write_row(1, row);
    QueryPath path(t, {c, {}, ""});
    const Model norm = norm_of(c);
    QueryStager stager(path, norm);
    EXPECT_EQ(stager.stages(1, stager.trace(1)).skipped, 26);
    EXPECT_EQ(stager.stages(0, stager.trace(0)).skipped, 0);
}

TEST(QueryStages, AnotherPathIsRefused) {
    EXPECT_NE(why_no_query_stages(contract("bf16,f32_gain,assoc=x_rw")), "");
    EXPECT_EQ(why_no_query_stages(contract("bf16,cast_first")), "");
}

}  // namespace
}  // namespace ulpgate
