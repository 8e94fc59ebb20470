// FAULTS.md, "Relations", bit for bit, for every model away from the ends of the range (and of the
// mean-square statistic):
//   M1  x and residual times 2^k, eps times 4^k: the same outputs
//   M2  a sign flipped in x or in w flips the sign of that output and nothing else
//   M5  w times 2^k: outputs times 2^k
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "properties/profiles/build.hpp"
#include "properties/relations/models_test.hpp"

namespace ulpgate {
namespace {

constexpr const char* models[] = {
    "cast_first",
    "cast_first,order=lanes:8x4,fma,mean=recip",
    "cast_first,by=div,order=pairwise",
    "cast_first,rsqrt_form=recip_sqrt,order=butterfly",
    "cast_first,acc=f64",
    "f32_gain,assoc=xr_w,order=cuda_block",
    "f32_gain,assoc=x_rw",
    "f32_gain,assoc=xw_r,order=masked",
    "cast_first,w=f32,order=aten_cascade",
    "cast_first,residual=rounded,order=lanes:4x1",
    "f32_gain,assoc=xr_w,residual=unrounded",
    "cast_first,residual=norm_unrounded",
};

// x and residual: any significands with exponents -3 to 3; w: -2 to 2. All stay normal when moved by 2^k
// below.
void fill(Tensors& t, std::uint64_t seed) {
    std::uint64_t stream = 0;
    for (Tensor& v : t.all) {
        ++stream;
        if (!v.spec->input()) continue;
        std::vector<float> row(static_cast<std::size_t>(v.width()));
        for (std::int64_t i = 0; i < v.rows(); ++i) {
            Rng r(seed, stream, static_cast<std::uint64_t>(i));
            const int p = precision(v.type), reach = v.spec->name == "x" ? 3 : 1;
            const int middle = v.spec->name == "residual" ? -7 - p : -p;
            for (float& e : row) {
                const int k = middle + r.between(-reach, reach);
                e = build::either_sign(r, build::scaled(build::significand(r, p), k));
            }
            v.write_row(i, row);
        }
    }
}

struct Subject {
    Model model;
    Tensors tensors;
    Type x = Type::none;
};

Subject any_subject() {
    Subject s;
    const std::string type = *rc::gen::element("bf16", "fp16", "f32");
    const std::string text =
        type + "," + *rc::gen::elementOf(std::vector<std::string>(std::begin(models), std::end(models)));
    RC_LOG() << text << '\n';
    s.model = model_of(text);
    Case c;
    c.claim = {s.model.contract};
    c.d = *rc::gen::inRange<std::int64_t>(1, 130);
    c.tokens = *rc::gen::inRange<std::int64_t>(1, 4);
    c.program.fill = 0;
    s.tensors = tensors_of(c);
    s.tensors.eps = *rc::gen::element(0.0, 1e-6, 1e-5, 0x1p-10);
    fill(s.tensors, *rc::gen::arbitrary<std::uint64_t>());
    s.x = s.model.contract.x;
    return s;
}

void scale(Tensor* t, int k) {
    std::vector<float> row(t ? static_cast<std::size_t>(t->width()) : 0);
    for (std::int64_t i = 0; t && i < t->rows(); ++i) {
        t->read_row(i, row);
        for (float& v : row) v = build::scaled(static_cast<double>(v), k);
        t->write_row(i, row);
    }
}

std::vector<float> y_of(const Subject& s) {
    const auto out = s.model.run(s.tensors);
    for (std::size_t i = 0; i < s.tensors.all.size(); ++i) {
        const Tensor& t = s.tensors.all[i];
        if (t.spec->name != "y") continue;
        std::vector<float> y(static_cast<std::size_t>(t.count()));
        unpack(t.type, out[i].data(), y);
        return y;
    }
    throw std::runtime_error("no y");
}

bool same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

RC_GTEST_PROP(Relations, M1PowersOfTwoInXAndEpsCancel, ()) {
    Subject s = any_subject();
    const auto before = y_of(s);
    const int k = s.x == Type::fp16 ? *rc::gen::inRange(-5, 9) : *rc::gen::inRange(-40, 41);
    scale(s.tensors.find("x"), k);
    scale(s.tensors.find("residual"), k);
    s.tensors.eps *= build::pow2(2 * k);
    const auto after = y_of(s);
    RC_LOG() << "k " << k << '\n';
    for (std::size_t j = 0; j < before.size(); ++j) RC_ASSERT(same(before[j], after[j]));
}

RC_GTEST_PROP(Relations, M2SignsPassThrough, ()) {
    Subject s = any_subject();
    const auto before = y_of(s);
    Tensor &x = *s.tensors.find("x"), *w = s.tensors.find("w"), *residual = s.tensors.find("residual");
    const std::int64_t d = x.width();
    Rng r(*rc::gen::arbitrary<std::uint64_t>(), 0, 0);
    const auto flip = [](Tensor& t, std::int64_t at) {
        t.set_word(at, t.word(at) ^ 1u << (bytes(t.type) * 8 - 1));
    };
    std::vector<bool> flipped(before.size());
    for (std::int64_t at = 0; at < x.count(); ++at)
        if (r.below(2)) {
            flip(x, x.at(at));
            if (residual) flip(*residual, residual->at(at));
            flipped[static_cast<std::size_t>(at)] = true;
        }
    for (std::int64_t j = 0; j < d; ++j)
        if (r.below(2)) {
            flip(*w, j);
            for (std::int64_t i = 0; i < x.rows(); ++i) flipped[static_cast<std::size_t>(i * d + j)].flip();
        }
    const auto after = y_of(s);
    for (std::size_t j = 0; j < before.size(); ++j) {
        RC_ASSERT(same(flipped[j] ? -before[j] : before[j], after[j]));
    }
}

RC_GTEST_PROP(Relations, M5PowersOfTwoInTheGainPassThrough, ()) {
    Subject s = any_subject();
    const auto before = y_of(s);
    const int k = s.x == Type::fp16 ? *rc::gen::inRange(-3, 4) : *rc::gen::inRange(-40, 41);
    scale(s.tensors.find("w"), k);
    const auto after = y_of(s);
    RC_LOG() << "k " << k << '\n';
    for (std::size_t j = 0; j < before.size(); ++j)
        RC_ASSERT(same(build::scaled(static_cast<double>(before[j]), k), after[j]));
}

// What the relations are for: each fault below breaks one.
TEST(Relations, SeeFaults) {
    struct Broken {
        const char* model;
        int k_x, k_w;
    };
    for (const Broken b : {Broken{"bf16,cast_first,fault=eps.value:1e-5", -10, 0},
                           Broken{"bf16,cast_first,fault=eps.outside", -10, 0},
                           Broken{"bf16,cast_first,gain=one_plus", 0, 2}}) {
        Subject s;
        s.model = model_of(b.model);
        Case c;
        c.claim = {s.model.contract};
        c.d = 64;
        c.program.fill = 0;
        s.tensors = tensors_of(c);
        fill(s.tensors, 1);
        s.tensors.eps = 0x1p-6;
        const auto before = y_of(s);
        scale(s.tensors.find("x"), b.k_x);
        s.tensors.eps *= build::pow2(2 * b.k_x);
        scale(s.tensors.find("w"), b.k_w);
        const auto after = y_of(s);
        int changed = 0;
        for (std::size_t j = 0; j < before.size(); ++j)
            changed += !same(build::scaled(static_cast<double>(before[j]), b.k_w), after[j]);
        EXPECT_GT(changed, 16) << b.model;
    }
}

}  // namespace
}  // namespace ulpgate
