// What is measured, against long double and by trying every r.
#include <gtest/gtest.h>

#include "properties/judge/kit_test.hpp"

namespace ulpgate {
namespace {

using namespace kit;

struct Naive {
    double worst = 0, sum = 0;
    std::int64_t steps = 0;
};

Naive naive(const Tensors& t, Outcome& o) {
    Naive n;
    const Tensor &in = *t.find("x"), &y = *t.find("y");
    const auto d = static_cast<std::size_t>(in.width());
    const int p = precision(y.type), emin = y.type == Type::fp16 ? -14 : -126;
    std::vector<float> x(d), w(d);
    t.find("w")->read_row(0, w);
    for (std::int64_t row = 0; row < in.rows(); ++row) {
        in.read_row(row, x);
        long double s = 0;
        for (float v : x) s += static_cast<long double>(v) * v;
        const long double r = 1 / std::sqrt(s / d + static_cast<long double>(t.eps));
        for (std::size_t j = 0; j < d; ++j) {
            const long double ideal = r * x[j] * w[j];
            int e = 0;
            std::frexp(ideal, &e);
            const long double ulp = std::ldexp(1.0L, std::max(e - 1, emin) - p + 1);
            const std::uint32_t word = get(t, o, row, static_cast<std::int64_t>(j));
            const auto error = static_cast<double>((decode(y.type, word) - ideal) / ulp);
            n.sum += error;
            n.worst = std::max(n.worst, std::fabs(error));
            const auto best = static_cast<std::int64_t>(encode(y.type, static_cast<double>(ideal)));
            n.steps = std::max(n.steps, std::abs(static_cast<std::int64_t>(word) - best));
        }
    }
    return n;
}

TEST(Measure, AgreesWithLongDouble) {
    for (const Type type : {Type::bf16, Type::fp16, Type::f32})
        for (const double scale : {1.0, 1e-3, 0x1p-20}) {
            const Tensors t = make_case({.type = type, .d = 100, .rows = 12, .scale = scale});
            for (const bool wrong : {false, true}) {
                Kernel k = kernel(type);
                if (wrong) k.scale = [](float r) { return r * 1.5f; };
                Outcome o = run(t, k);
                const Judgement j = judge(t, o, claim(std::string(name(type)) + ",cast_first"));
                const Naive n = naive(t, o);
                EXPECT_EQ(j.measure.rows, 12);
                EXPECT_EQ(j.measure.elements, 1200);
                EXPECT_NEAR(j.measure.worst_ulp, n.worst, 1e-6 * n.worst);
                EXPECT_NEAR(j.measure.sum_ulp, n.sum, 1e-5 * std::max(1.0, std::fabs(n.sum)));
                EXPECT_EQ(j.measure.worst_steps, n.steps);
                EXPECT_EQ(j.measure.errors.total(), 1200);
                EXPECT_GT(j.measure.errors.count(ErrorHistogram::bin(j.measure.worst_ulp)), 0);
                RmsBin all;
                for (const auto& [octave, bin] : j.measure.by_rms) all.merge(bin);
                EXPECT_EQ(all.rows, 12);
                EXPECT_EQ(all.worst_ulp, j.measure.worst_ulp);
                EXPECT_EQ(all.worst_r_ulp32, j.measure.worst_r_ulp32);
                const Witness& w = j.measure.worst;
                EXPECT_EQ(w.got, get(t, o, w.row, w.col));
                EXPECT_EQ(w.x, t.find("x")->value(w.row * 100 + w.col));
                const bool inside = decode(type, w.allowed_lo) <= decode(type, w.got) &&
                                    decode(type, w.got) <= decode(type, w.allowed_hi);
                EXPECT_EQ(inside, !wrong);
            }
        }
}

TEST(Measure, ErrorOfRIsTheSmallestThatTheOutputsAllow) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Tensors t = make_case({.type = Type::f32, .d = 8, .rows = 1, .seed = seed});
        std::vector<float> x(8), w(8);
        t.find("x")->read_row(0, x);
        t.find("w")->read_row(0, w);
        long double s = 0;
        for (float v : x) s += static_cast<long double>(v) * v;
        const auto ideal = static_cast<double>(1 / std::sqrt(s / 8 + static_cast<long double>(t.eps)));
        const auto nearest = static_cast<float>(ideal);
        const float r = nearest * (1 + static_cast<float>(seed % 7) * 0x1p-23f);
        Kernel k = kernel(Type::f32);
        k.scale = [r](float) { return r; };
        const Judgement j = judge(t, run(t, k), claim("f32,cast_first"));
        double best = 1e9;  // of every float near by that gives the same outputs
        float c = nearest;
        for (int i = 0; i < 40; ++i) c = std::nextafter(c, 0.0f);
        for (int i = 0; i < 80; ++i, c = std::nextafter(c, 2 * c)) {
            bool same = true;
            for (std::size_t k2 = 0; k2 < 8; ++k2) same = same && x[k2] * c * w[k2] == x[k2] * r * w[k2];
            if (same) best = std::min(best, std::fabs(static_cast<double>(c) - ideal));
        }
        int e = 0;
        std::frexp(ideal, &e);
        EXPECT_NEAR(j.measure.worst_r_ulp32, best / std::ldexp(1.0, e - 24), 1e-6) << seed;
    }
}

TEST(Measure, OverflowIsCountedWithoutItsError) {
    Tensors t = make_case({.d = 8, .rows = 2});
    t.find("x")->write_row(0, std::vector<float>(8, 0x1p64f));
    const Judgement j = judge(t, run(t, kernel(Type::bf16)), claim("bf16,cast_first"));
    EXPECT_EQ(j.measure.spec_limit_rows, 1);
    EXPECT_LE(j.measure.worst_ulp, 1.5);
    EXPECT_LT(j.measure.worst_r_ulp32, 1e6);
    EXPECT_EQ(j.measure.worst.row, 1);
}

TEST(Measure, ErrorOfRIsZeroWhereTheOutputsAllowTheIdeal) {  // fp16 pins r to some 2^13 floats
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Tensors t = make_case({.type = Type::fp16, .d = 8, .rows = 1, .seed = seed});
        Kernel k = kernel(Type::fp16);
        k.scale = [](float r) { return std::nextafter(r, 2 * r); };
        EXPECT_LE(judge(t, run(t, k), claim("fp16,cast_first")).measure.worst_r_ulp32, 1.0) << seed;
    }
}

}  // namespace
}  // namespace ulpgate
