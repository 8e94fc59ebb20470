// The sight is not a promise but a fact: a kernel changed by just more than each printed amount is seen.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/judge/kit_test.hpp"

namespace ulpgate {
namespace {

using namespace kit;

Verdict verdict(const Tensors& t, const Kernel& k, const std::string& c) {
    return judge(t, run(t, k), claim(c)).verdict;
}

Kernel scaled(Kernel k, double factor) {
    k.scale = [factor](float r) {
        const double v = static_cast<double>(r) * factor;
        const auto f =
            static_cast<float>(v);  // rounded away from r, so that no less than the factor is applied
        return factor > 1 ? (static_cast<double>(f) < v ? std::nextafter(f, f * 2) : f)
                          : (static_cast<double>(f) > v ? std::nextafter(f, 0.0f) : f);
    };
    return k;
}

Kernel with_eps(Kernel k, double factor) {
    k.with_eps = [factor](float ms, float eps) {
        return ms + static_cast<float>(static_cast<double>(eps) * factor);
    };
    return k;
}

Kernel without(Kernel k, std::size_t column) {
    k.sum = [column](const std::vector<float>& x) {
        float s = 0;
        for (std::size_t j = 0; j < x.size(); ++j)
            if (j != column) s += x[j] * x[j];
        return s;
    };
    return k;
}

void check(const CaseSpec& spec, const Kernel& k, const std::string& contract) {
    const Tensors t = make_case(spec);
    const Judgement j = judge(t, run(t, k), claim(contract));
    ASSERT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted) << j.what << " " << j.reason;
    const Sight& s = j.sight;
    SCOPED_TRACE(contract + " d " + std::to_string(spec.d) + ": " + s.text());
    ASSERT_EQ(s.rows, spec.rows);
    if (s.r_high != Sight::unseen) {
        EXPECT_EQ(verdict(t, scaled(k, 1 + s.r_high * (1 + 1e-9)), contract), Verdict::inadmissible)
            << s.r_high;
    }
    if (s.r_low != Sight::unseen) {
        EXPECT_EQ(verdict(t, scaled(k, 1 - s.r_low * (1 + 1e-9)), contract), Verdict::inadmissible)
            << s.r_low;
    }
    if (s.eps_high != Sight::unseen) {
        EXPECT_EQ(verdict(t, with_eps(k, 1 + s.eps_high), contract), Verdict::inadmissible) << s.eps_high;
    }
    if (s.eps_low != Sight::unseen) {
        EXPECT_EQ(verdict(t, with_eps(k, 1 - s.eps_low), contract), Verdict::inadmissible) << s.eps_low;
    }
    std::int64_t tried = 0;
    for (std::size_t c = 0; c < s.column.at(spec.d).size() && tried < 40; ++c)
        if (s.column.at(spec.d)[c]) {
            ++tried;
            EXPECT_EQ(verdict(t, without(k, c), contract), Verdict::inadmissible) << "column " << c;
        }
}

TEST(Sight, EachNumberIsSeenWhenExceeded) {
    for (const Type type : {Type::bf16, Type::fp16, Type::f32})
        for (const std::int64_t d : {1, 3, 8, 64, 512})
            for (const double scale : {1.0, 1e-3}) {
                const CaseSpec spec{
                    .type = type, .d = d, .rows = 12, .seed = static_cast<std::uint64_t>(d), .scale = scale};
                check(spec, kernel(type), std::string(name(type)) + ",cast_first");
                Kernel k = kernel(type);
                k.element = [](float x, float w, float r) { return x * r * w; };
                check(spec, k, std::string(name(type)) + ",f32_gain");
            }
}

TEST(Sight, AsksEveryAssociationThatCouldExcuse) {  // one r more in one association is a rounding in another
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        for (const int assoc : {0, 1, 2}) {
            Kernel k = kernel(Type::f32);
            k.element = [assoc](float x, float w, float r) {
                return assoc == 0 ? x * r * w : assoc == 1 ? x * (r * w) : x * w * r;
            };
            check({.type = Type::f32, .d = 1, .rows = 1, .seed = seed}, k, "f32,f32_gain");
        }
}

TEST(Sight, DividingKernelsToo) {
    for (const Type type : {Type::bf16, Type::f32}) {
        Kernel k = kernel(type);  // the scalar is the rms: hooks scale 1/rms
        k.rsqrt = [](float v) { return 1 / std::sqrt(v); };
        k.element = [](float x, float w, float r) { return x * r * w; };
        k.t = type;
        const CaseSpec spec{.type = type, .d = 64, .rows = 12, .scale = 1e-3};
        Kernel div = k;
        div.element = [](float x, float w, float r) { return x / (1 / r) * w; };
        const Tensors t = make_case(spec);
        const std::string c = std::string(name(type)) + ",f32_gain,by=div";
        const Judgement j = judge(t, run(t, div), claim(c));
        ASSERT_EQ(j.verdict, Verdict::pass) << j.what << " " << j.reason;
        // 1 / (1 / r) may lose an ulp of r: exceed by that much more.
        ASSERT_LT(j.sight.r_high, 0.1);
        EXPECT_EQ(verdict(t, scaled(div, 1 + j.sight.r_high + 0x1p-22), c), Verdict::inadmissible);
        EXPECT_EQ(verdict(t, scaled(div, 1 - j.sight.r_low - 0x1p-22), c), Verdict::inadmissible);
        ASSERT_NE(j.sight.eps_relative, Sight::unseen);
        EXPECT_EQ(verdict(t, with_eps(div, 1 + j.sight.eps_high), c), Verdict::inadmissible);
        EXPECT_EQ(verdict(t, with_eps(div, 1 - j.sight.eps_low), c), Verdict::inadmissible);
    }
}

// The row counts only where every association of the other order, at this kernel's r, is refused.
TEST(Sight, RowsOfTheOtherGainOrderAreRefusedOneByOne) {
    for (const std::int64_t d : {2, 8, 64, 3}) {
        const CaseSpec spec{.d = d, .rows = d == 3 ? 200 : 32};
        Tensors all = make_case(spec);
        if (d == 3)  // subnormal gains: there the associations part
            for (std::int64_t j = 0; j < d; ++j)
                all.find("w")->set_word(j, static_cast<std::uint32_t>(0x21 + 0x35 * j));
        const Judgement j = judge(all, run(all, kernel(Type::bf16)), claim("bf16,cast_first"));
        ASSERT_EQ(j.verdict, Verdict::pass);
        std::int64_t refused = 0, counted = 0;
        for (std::int64_t row = 0; row < spec.rows; ++row) {
            Tensors one = make_case({.d = d, .rows = 1});
            std::vector<float> x(static_cast<std::size_t>(d));
            all.find("x")->read_row(row, x);
            one.find("x")->write_row(0, x);
            one.find("w")->storage = all.find("w")->storage;
            const bool counts =
                judge(one, run(one, kernel(Type::bf16)), claim("bf16,cast_first")).sight.rows_cast_order == 1;
            counted += counts;
            bool every = true;
            for (const int assoc : {0, 1, 2}) {
                Kernel k = kernel(Type::bf16);
                k.element = [assoc](float v, float w, float r) {
                    return assoc == 0 ? v * r * w : assoc == 1 ? v * (r * w) : v * w * r;
                };
                const bool bad = verdict(one, k, "bf16,cast_first") == Verdict::inadmissible;
                EXPECT_TRUE(bad || !counts) << "d " << d << " row " << row << " assoc " << assoc;
                every = every && bad;
            }
            refused += every;
        }
        EXPECT_EQ(counted, j.sight.rows_cast_order);
        if (d > 3) {
            EXPECT_GE(counted * 10, refused * 9) << "and hardly any refused row is left out";
        }
        if (d == 64) {
            EXPECT_EQ(counted, 32);
        }
    }
}

TEST(Sight, HonestWhereNothingShows) {
    const Tensors unit = make_case({.d = 64, .rows = 4, .unit_gain = true});
    EXPECT_EQ(judge(unit, run(unit, kernel(Type::bf16)), claim("bf16,cast_first")).sight.rows_cast_order, 0)
        << "unit gains hide the order";
    const Tensors f32 = make_case({.type = Type::f32, .d = 64, .rows = 4});
    EXPECT_EQ(judge(f32, run(f32, kernel(Type::f32)), claim("f32,cast_first")).sight.rows_cast_order, 0)
        << "in f32 the cast is the identity";
    Tensors zero = make_case({.d = 64, .rows = 1});
    zero.find("x")->write_row(0, std::vector<float>(64, 0.0f));
    EXPECT_EQ(judge(zero, run(zero, kernel(Type::bf16)), claim("bf16,cast_first")).sight.text(),
              "r unseen · eps unseen · no dropped column · cast order unseen");
    const Tensors big = make_case({.d = 64, .rows = 4, .scale = 1e3});
    EXPECT_EQ(judge(big, run(big, kernel(Type::bf16)), claim("bf16,cast_first")).sight.eps_relative,
              Sight::unseen);
}

TEST(Sight, OneHotRowsShowTheirColumn) {
    Tensors t = make_case({.d = 8, .rows = 8});
    for (std::int64_t i = 0; i < 8; ++i) {
        std::vector<float> x(8, 0.0f);
        x[static_cast<std::size_t>(i)] = 1;
        t.find("x")->write_row(i, x);
    }
    const Judgement j = judge(t, run(t, kernel(Type::bf16)), claim("bf16,cast_first"));
    ASSERT_EQ(j.verdict, Verdict::pass);
    EXPECT_TRUE(j.sight.any_column);
    for (std::size_t c = 0; c < 8; ++c)
        EXPECT_EQ(verdict(t, without(kernel(Type::bf16), c), "bf16,cast_first"), Verdict::inadmissible);
}

RC_GTEST_PROP(Sight, NumbersHoldOnRandomCases, ()) {
    const Type type = *rc::gen::element(Type::bf16, Type::fp16, Type::f32);
    CaseSpec s{.type = type, .rows = *rc::gen::element<std::int64_t>(1, 4)};
    s.d = *rc::gen::element<std::int64_t>(1, 2, 5, 17, 64);
    s.seed = *rc::gen::arbitrary<std::uint64_t>();
    s.scale = std::ldexp(1.0, *rc::gen::inRange(-14, 4));
    s.eps = *rc::gen::element(1e-6, 1e-5, 0x1p-20, 1e-3);
    if (*rc::gen::arbitrary<bool>()) return check(s, kernel(type), std::string(name(type)) + ",cast_first");
    Kernel k = kernel(type);  // three associations could excuse it
    const int assoc = *rc::gen::inRange(0, 3);
    k.element = [assoc](float x, float w, float r) {
        return assoc == 0 ? x * r * w : assoc == 1 ? x * (r * w) : x * w * r;
    };
    check(s, k, std::string(name(type)) + ",f32_gain");
}

}  // namespace
}  // namespace ulpgate
