#include <gtest/gtest.h>

#include <cmath>

#include "reference/base/rng.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/oracle/oracle.hpp"
#include "reports/cli/process_test.hpp"
#include "reports/eps/sensitivity.hpp"
#include "reports/eps/table.hpp"

namespace ulpgate {
namespace {

double digits3(double v) {
    const double scale = std::pow(10.0, std::floor(std::log10(v)) - 2);
    return std::round(v / scale) * scale;
}

// The published thresholds, 1e-6 to 1e-5 at d = 7168.
TEST(EpsThresholds, AreThePublishedOnes) {
    const auto b = eps_thresholds(Type::bf16, 1e-6, 1e-5, 7168), h = eps_thresholds(Type::fp16, 1e-6, 1e-5, 7168), f = eps_thresholds(Type::f32, 1e-5, 1e-6, 7168);
    EXPECT_NEAR(digits3(b.all_below), 0.0239, 1e-9);
    EXPECT_NEAR(digits3(b.some_below), 0.0339, 1e-9);
    EXPECT_NEAR(digits3(b.one_below), 2.44, 0.03);
    EXPECT_NEAR(digits3(h.all_below), 0.0678, 1e-9);
    EXPECT_NEAR(digits3(h.some_below), 0.0960, 1e-9);
    EXPECT_NEAR(h.one_below, 6.9, 0.05);
    EXPECT_NEAR(digits3(f.all_below), 6.14, 1e-9);
    EXPECT_NEAR(digits3(f.some_below), 8.69, 1e-9);
    EXPECT_NEAR(f.one_below, 625, 5);
}

// By simulation: y = m / sqrt(v + eps), in ulps of y. A binade's significands from its two ends: those an ulp is the largest and the
// smallest part of decide; of f32 the ones between are sampled.
TEST(EpsThresholds, HoldInSimulation) {
    for (const Type type : {Type::bf16, Type::fp16, Type::f32})
        for (const auto& both : {std::pair{1e-6, 1e-5}, {1e-6, 1e-8}, {1e-5, 1e-6}, {0.0, 1e-6}}) {
            const double from = both.first, to = both.second;
            const auto t = eps_thresholds(type, from, to, 7168);
            const std::int64_t first = std::int64_t{1} << (precision(type) - 1), step = std::max<std::int64_t>(1, first / 64);
            const auto moved = [&](double rms) {
                std::pair<double, double> least_most{1e9, 0};
                for (std::int64_t m = first; m < 2 * first; m += step)
                    for (double scale = 1; scale < 2; scale *= 1.01) {
                        const double x = static_cast<double>(m) * scale, a = x / std::sqrt(rms * rms + from), b = x / std::sqrt(rms * rms + to);
                        const double ulps = std::fabs(a - b) / ulp_at(type, b);
                        least_most = {std::min(least_most.first, ulps), std::max(least_most.second, ulps)};
                    }
                return least_most;
            };
            EXPECT_GE(moved(0.97 * t.all_below).first, 1) << name(type) << " " << from << " " << to << ": every output moves";
            EXPECT_LT(moved(1.03 * t.all_below).first, 1) << name(type) << " " << from << " " << to;
            EXPECT_GE(moved(0.97 * t.some_below).second, 1) << name(type) << " " << from << " " << to << ": some do";
            EXPECT_LT(moved(1.03 * t.some_below).second, 1) << name(type) << " " << from << " " << to;
        }
}

TEST(EpsThresholds, AboutOneOutputARowChangesThere) {
    constexpr std::size_t d = 7168;
    const double rms = eps_thresholds(Type::bf16, 1e-6, 1e-5, d).one_below;
    std::int64_t changed = 0, rows = 60;
    for (std::int64_t row = 0; row < rows; ++row) {
        Rng rng(3, 0, static_cast<std::uint64_t>(row));
        std::vector<float> x(d);
        for (auto& v : x) v = round_to(Type::bf16, rng.gauss() * 0x1p-16 * rms);
        std::vector<std::uint32_t> a(d), b(d);
        oracle_row(Oracle::ideal, {Type::bf16, Type::bf16, Type::bf16}, x, {}, 1e-6, a);
        oracle_row(Oracle::ideal, {Type::bf16, Type::bf16, Type::bf16}, x, {}, 1e-5, b);
        for (std::size_t j = 0; j < d; ++j) changed += a[j] != b[j];
    }
    EXPECT_GT(changed, rows / 2);
    EXPECT_LT(changed, rows * 2);
}

// r within its own float, of rows from far above eps to far below it: the interval holds the eps that made it.
TEST(EpsOfRow, HoldsTheEpsThatWasUsed) {
    for (const auto* text : {"f32,cast_first", "f32,cast_first,by=div"})
        for (const double eps : {1e-6, 1e-5, 0.0})
            for (const double scale : {1.0, 1e-2, 1e-3, 1e-5}) {
                Claim c;
                ASSERT_FALSE(parse(text, c));
                std::vector<float> x;
                Rng rng(5, 0, 0);
                for (int k = 0; k < 512; ++k) x.push_back(static_cast<float>(rng.gauss() * 0x1p-16 * scale));
                const double r = ideal_r(x, eps);
                const auto f = static_cast<float>(c[0].by == By::div ? 1 / r : r);
                const auto e = eps_of_row(c[0], f, f, x);
                EXPECT_LE(e.lo, eps);
                EXPECT_GE(e.hi, eps);
                if (scale <= 1e-3 && eps > 0) {
                    EXPECT_LT(e.hi - e.lo, 0.01 * eps) << "rows near eps show it";
                }
            }
}

// A root that is off by the two ulps that the contract allows, on a row far below eps: nothing else hides it.
TEST(EpsOfRow, HoldsItAtTheEdgeOfTheRootsError) {
    for (const auto* text : {"f32,cast_first", "f32,cast_first,by=div"})
        for (const float away : {0.0f, 1e30f}) {
            Claim c;
            ASSERT_FALSE(parse(text, c));
            const std::vector<float> x(512, 1e-8f);
            const double r = ideal_r(x, 1e-6);
            auto f = static_cast<float>(c[0].by == By::div ? 1 / r : r);
            for (int k = 0; k < c[0].rsqrt; ++k) f = std::nextafter(f, away);
            const auto e = eps_of_row(c[0], f, f, x);
            EXPECT_LE(e.lo, 1e-6) << text;
            EXPECT_GE(e.hi, 1e-6) << text;
        }
}

TEST(ReportEps, RecoversWhatTheKernelUses) {
    const testing_cli::Folder f;
    const auto of = [&](std::string subject) {
        const auto r = testing_cli::ulpgate(f, {"report", "eps", std::move(subject), "--op", "q_a_layernorm", "--type", "bf16", "--d", "512", "--rows", "24", "--profile", "gaussian", "--json", "eps.json"});
        EXPECT_EQ(r.exit, 0) << r.both();
        const auto j = testing_cli::json_of(testing_cli::slurp(f / "eps.json"));
        return j["eps"].back()["recovered"];
    };
    const auto right = of("scalar");
    EXPECT_LE(right["lo"], 1e-6);
    EXPECT_GE(right["hi"], 1e-6);
    EXPECT_LT(right["hi"].get<double>() / right["lo"].get<double>(), 1.01);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        const auto avx2 = of("avx2");
        EXPECT_LE(avx2["lo"], 1e-6);
        EXPECT_GE(avx2["hi"], 1e-6);
        EXPECT_LT(avx2["hi"].get<double>() / avx2["lo"].get<double>(), 1.01) << "in bf16 too its rows pin eps to a percent";
    } else {
        std::printf("avx2: not run here\n");
    }
    const auto other = of("faulty/eps.value:1e-5,bf16,cast_first");
    EXPECT_LE(other["lo"], 1e-5);
    EXPECT_GE(other["hi"], 1e-5);
    EXPECT_GT(other["lo"], 5e-6);
}

TEST(ReportEps, ANameCannotMoveTheCursor) {
    EpsTable t;
    t.type = Type::bf16;
    t.source = t.subject = t.warning = "k\x1b[2J";
    EXPECT_EQ(eps_text(t).find('\x1b'), std::string::npos);
}

TEST(ReportEps, WarnsWhereAConfigWouldNotReach) {
    const testing_cli::Folder f;
    const auto r = testing_cli::ulpgate(f, {"report", "eps", "--type", "bf16", "--profile", "gaussian", "--rows", "2", "--d", "512", "--config-eps", "1e-5"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("WARNING config rms_norm_eps 1e-05 does not reach q_a_layernorm"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("does not reach kv_a_layernorm"), std::string::npos);
    EXPECT_EQ(r.out.find("does not reach final_norm"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
