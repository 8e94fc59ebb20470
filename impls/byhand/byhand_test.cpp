// The kernels by hand: each has its fault and no other, shows it on the inputs of the fault tables, and
// passes allclose(1e-2) on ordinary activations.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "impls/testing/matrix.hpp"
#include "impls/testing/module.hpp"
#include "impls/testing/restated.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::testing {
namespace {

constexpr Tree sequential{.lanes = 1, .accumulators = 1, .fma = false};

struct Kernel {
    Module module;
    const ulpgate_entry* entry = nullptr;
    Type type = Type::none;

    Kernel(const std::string& name, Type t) : module("byhand/" + name), type(t) {
        if (!module.descriptor) return;
        for (const ulpgate_entry& e : module.entries())
            if (std::string(e.contract).starts_with(ulpgate::name(t))) entry = &e;
    }
    Words operator()(const Words& x, const Words& w, double eps = 1e-6) const {
        EXPECT_TRUE(entry) << module.name << " " << module.error;
        if (!entry) return {};
        const auto d = static_cast<std::int64_t>(x.size());
        Matrix mx(type, 1, d, d, 0), my(type, 1, d, d, 0), mw(type, d, 0);
        mx.set_row(0, x);
        mw.set_row(0, w);
        ulpgate_rmsnorm a{};
        a.call.size = sizeof a;
        a.call.threads = 1;
        a.rows = a.batch = a.tokens = 1;
        a.d = a.d_stat = d;
        a.eps = eps;
        a.x = mx.tensor();
        a.w = mw.tensor();
        a.y = my.tensor();
        std::vector<unsigned char> workspace(entry->workspace ? entry->workspace(&a) : 0);
        a.call.workspace = workspace.data();
        a.call.workspace_bytes = workspace.size();
        EXPECT_EQ(entry->rmsnorm(&a), ULPGATE_OK);
        EXPECT_TRUE(my.canaries_intact());
        return my.row(0);
    }
};

Words right(Type t, const Words& x, const Words& w, double eps = 1e-6) {
    return restated(default_contract(t, Map::cast_first), sequential, x, w, {}, eps).y;
}

Words gaussian(Rng& rng, std::size_t d, float mean, float sigma, Type t = Type::bf16) {
    Words words(d);
    for (auto& word : words) word = encode(t, mean + sigma * static_cast<float>(rng.gauss()) * 0x1p-16f);
    return words;
}

std::size_t differing(const Words& a, const Words& b) {
    std::size_t n = 0;
    for (std::size_t j = 0; j < a.size(); ++j) n += a[j] != b[j];
    return n;
}

// As numpy and PyTorch define it: |a - b| <= atol + rtol * |b|, both 1e-2, and a NaN is close to nothing.
bool allclose(Type t, const Words& a, const Words& b) {
    for (std::size_t j = 0; j < a.size(); ++j) {
        const float x = decode(t, a[j]), y = decode(t, b[j]);
        if (!(std::fabs(x - y) <= 1e-2f + 1e-2f * std::fabs(y))) return false;
    }
    return true;
}

// Two columns, repeated: the probe that tells the roundings apart, whatever the order of summation.
Words tiled(Type t, std::size_t d, float a, float b) {
    Words words(d);
    for (std::size_t j = 0; j < d; ++j) words[j] = encode(t, j % 2 ? b : a);
    return words;
}

TEST(ByHand, right_is_right) {
    const Kernel k("right", Type::bf16);
    for (const std::size_t d : {1u, 7u, 512u, 1536u, 7168u}) {
        Rng rng(1, d, 0);
        const Words x = gaussian(rng, d, 0, 1), w = gaussian(rng, d, 1, 1);
        EXPECT_EQ(k(x, w), right(Type::bf16, x, w)) << d;
    }
}

// Words of the master probe for cast_first, f32_gain and a rounded rstd, from the fault tables.
TEST(ByHand, roundings_show_in_the_master_probe) {
    const auto probe = [](const char* kernel) {
        const Words y = Kernel(kernel, Type::bf16)(tiled(Type::bf16, 512, 1, 1.09375f),
                                                   Words(512, encode(Type::bf16, 1.5859375f)));
        return Words(y.begin(), y.begin() + 2);
    };
    EXPECT_EQ(probe("right"), (Words{0x3fc1, 0x3fd5}));
    EXPECT_EQ(probe("f32_gain"), (Words{0x3fc2, 0x3fd4}));
    EXPECT_EQ(probe("gain_before_cast"), (Words{0x3fc2, 0x3fd4}));
    EXPECT_EQ(probe("rstd_bf16"), (Words{0x3fc1, 0x3fd3}));
    const Words fp16 = Kernel("gain_before_cast", Type::fp16)(tiled(Type::fp16, 8, 1, 1.033203125f),
                                                              Words(8, encode(Type::fp16, 1.0302734375f)));
    EXPECT_EQ((Words{fp16[0], fp16[1]}), (Words{0x3c0e, 0x3c30}));
}

// x = 2^-10 everywhere, eps = 3 * 2^-20: right is one half in every type.
TEST(ByHand, eps_outside_shows_where_eps_matters) {
    for (const Type t : {Type::bf16, Type::fp16, Type::f32}) {
        const Words x(8, encode(t, 0x1p-10f)), ones(8, encode(t, 1.0f));
        EXPECT_EQ(right(t, x, ones, 3 * 0x1p-20), Words(8, encode(t, 0.5f)));
        const float outside = decode(t, Kernel("eps_outside", t)(x, ones, 3 * 0x1p-20)[0]);
        EXPECT_NEAR(outside, 1 / (1 + 3 * 0x1p-10), 1e-3);
    }
    EXPECT_EQ(Kernel("eps_outside", Type::bf16)(Words(8, 0x3a80), Words(8, 0x3f80), 3 * 0x1p-20)[0], 0x3f7fu);
}

TEST(ByHand, dropped_tail_shows_in_one_hot_rows) {
    for (const Type t : {Type::bf16, Type::fp16, Type::f32})
        for (const std::size_t d : {512u, 1536u, 7168u})
            for (const std::size_t hot : {std::size_t{0}, d - d % 10 - 1, d - d % 10, d - 1}) {
                Words x(d, 0);
                x[hot] = encode(t, 1.0f);
                const Words ones(d, encode(t, 1.0f)), y = Kernel("dropped_tail", t)(x, ones);
                if (hot < d - d % 10)
                    EXPECT_EQ(y, right(t, x, ones)) << d << " " << hot;
                else
                    EXPECT_NEAR(decode(t, y[hot]), 1000.0f, 1.0f) << d << " " << hot;  // 1 / sqrt(eps)
            }
}

TEST(ByHand, nan_output_shows_in_rows_of_zeros_and_infinities_alone) {
    for (const Type t : {Type::bf16, Type::fp16, Type::f32}) {
        const Kernel k("nan_output", t);
        const Words ones(9, encode(t, 1.0f));
        EXPECT_EQ(right(t, Words(9, 0), ones), Words(9, 0));
        for (const auto word : k(Words(9, 0), ones)) EXPECT_TRUE(std::isnan(decode(t, word)));
        Rng rng(1, 2, 3);
        Words x = gaussian(rng, 9, 0, 1, t);
        for (const float scale : {0x1p-14f, 1.0f, 0x1p10f}) {
            Words scaled = x;
            for (auto& word : scaled) word = encode(t, decode(t, word) * scale);
            EXPECT_EQ(k(scaled, ones), right(t, scaled, ones)) << scale;
        }
        x[4] = encode(t, INFINITY);
        EXPECT_EQ(decode(t, right(t, x, ones)[0]), 0.0f);
        EXPECT_TRUE(std::isnan(decode(t, k(x, ones)[0])));
    }
}

// The story of the demonstration, in bf16: on ordinary activations a tolerance lets nearly every row of each
// kernel pass.
struct Seen {
    const char* kernel;
    double least, most;  // share of outputs that differ from the right ones
};
constexpr Seen seen[] = {{"right", 0, 0},         {"f32_gain", 0.2, 0.3},   {"gain_before_cast", 0.2, 0.3},
                         {"rstd_bf16", 0.1, 0.4}, {"eps_outside", 0, 0.01}, {"dropped_tail", 0.05, 0.5},
                         {"nan_output", 0, 0}};

TEST(ByHand, allclose_passes_ordinary_activations) {
    constexpr std::uint64_t rows = 40;
    for (const auto& [name, least, most] : seen)
        for (const std::size_t d : {512u, 1536u, 7168u}) {
            const Kernel k(name, Type::bf16);
            std::uint64_t passes = 0;
            double share = 0;
            for (std::uint64_t row = 0; row < rows; ++row) {
                Rng rng(1, d, row);
                const float scale =
                    std::ldexp(static_cast<float>(65536 + rng.below(65536)) * 0x1p-16f, rng.between(-4, 4));
                const Words x = gaussian(rng, d, 0, scale), w = gaussian(rng, d, 1, 0.25f);
                const Words y = k(x, w), expected = right(Type::bf16, x, w);
                passes += allclose(Type::bf16, y, expected);
                share += static_cast<double>(differing(y, expected)) / static_cast<double>(d * rows);
            }
            EXPECT_GE(passes, rows * 9 / 10) << name << " " << d;
            EXPECT_GE(share, least) << name << " " << d;
            EXPECT_LE(share, most) << name << " " << d;
        }
}

}  // namespace
}  // namespace ulpgate::testing
