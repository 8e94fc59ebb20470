// A right kernel is never accused: orders, FMA, forms of the mean and of the root, every type and width.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/judge/kit_test.hpp"

namespace ulpgate {
namespace {

using namespace kit;

std::vector<std::function<float(const std::vector<float>&)>> sums() {
    return {Kernel{}.sum,
            [](const auto& x) { return lanes(x, 8); },
            [](const auto& x) { return lanes(x, 8, true); },
            [](const auto& x) { return lanes(x, 256); },
            [](const auto& x) { return pairwise(x.data(), x.size()); },
            [](const auto& x) {
                float s = 0;
                for (std::size_t j = x.size(); j--;) s = std::fma(x[j], x[j], s);
                return s;
            }};
}

std::vector<std::function<float(float)>> roots() {
    return {Kernel{}.rsqrt, [](float v) { return 1.0f / std::sqrt(v); },
            [](float v) {  // a 12-bit start, then Newton with an FMA residual, as kernels do
                float r = static_cast<float>(1 / std::sqrt(static_cast<double>(v)));
                r *= 1 + 0x1p-13f;
                for (int k = 0; k < 2; ++k) r = std::fma(0.5f * r, std::fma(-v * r, r, 1.0f), r);
                return r;
            }};
}

TEST(Judge, NoFalseAlarmAtEveryWidth) {
    for (const Type type : {Type::bf16, Type::fp16, Type::f32})
        for (const std::int64_t d : {1, 2, 3, 8, 512, 1536, 7168}) {
            const Tensors t = make_case(
                {.type = type, .d = d, .rows = d > 1000 ? 2 : 6, .seed = static_cast<std::uint64_t>(d)});
            int k = 0;
            for (const auto& sum : sums())
                for (const auto& root : roots()) {
                    if (d > 1000 && ++k % 3) continue;
                    Kernel kernel = kit::kernel(type);
                    kernel.sum = sum;
                    kernel.rsqrt = root;
                    const Judgement j =
                        judge(t, run(t, kernel), claim(std::string(name(type)) + ",cast_first"));
                    ASSERT_EQ(j.verdict, Verdict::pass)
                        << name(type) << " d " << d << ": " << j.what << " " << j.reason;
                    ASSERT_EQ(j.measure.outside, 0);
                    if (type != Type::f32) {
                        ASSERT_LE(j.measure.worst_ulp, 1.51);
                    }  // supremum 1.5; r adds a little
                }
        }
}

RC_GTEST_PROP(Judge, NoFalseAlarm, ()) {
    const Type type = *rc::gen::element(Type::bf16, Type::fp16, Type::f32);
    CaseSpec s{.type = type, .rows = 3};
    s.d = *rc::gen::element<std::int64_t>(1, 2, 3, 5, 8, 17, 64, 255);
    s.seed = *rc::gen::arbitrary<std::uint64_t>();
    s.scale = std::ldexp(1.0, *rc::gen::inRange(type == Type::fp16 ? -14 : -60, type == Type::fp16 ? 8 : 50));
    s.eps = *rc::gen::element(1e-6, 1e-5, 0.0, 0x1p-20);
    const Tensors t = make_case(s);
    Kernel k = kernel(type);
    k.sum = *rc::gen::elementOf(sums());
    k.rsqrt = *rc::gen::elementOf(roots());
    if (*rc::gen::arbitrary<bool>()) k.mean = [](float a, float d) { return a * (1 / d); };
    const bool gain_last = *rc::gen::arbitrary<bool>();
    if (gain_last) {
        const int assoc = *rc::gen::inRange(0, 3);
        k.element = [assoc](float x, float w, float r) {
            return assoc == 0 ? x * r * w : assoc == 1 ? x * (r * w) : x * w * r;
        };
    }
    if (s.eps == 0)
        for (std::int64_t i = 0; i < s.rows; ++i) {
            std::vector<float> x(static_cast<std::size_t>(s.d));
            t.find("x")->read_row(i, x);
            float sum = 0;
            for (float v : x) sum += v * v;
            RC_PRE(sum / static_cast<float>(s.d) >=
                   0x1p-126f);  // Newton on 0 or a subnormal is not within rsqrt=2
        }
    const Judgement j =
        judge(t, run(t, k), claim(std::string(name(type)) + (gain_last ? ",f32_gain" : ",cast_first")));
    RC_LOG() << j.what << "\n" << j.reason << "\n";
    RC_ASSERT(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted);
    RC_ASSERT(j.measure.elements == s.rows * s.d);
}

}  // namespace
}  // namespace ulpgate
