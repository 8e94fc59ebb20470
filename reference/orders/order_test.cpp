#include "reference/orders/order.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }

float sum(std::string_view order, const std::vector<float>& x) {
    const auto o = find_order(order);
    EXPECT_TRUE(o) << order;
    return o->order->f32({x.data()}, x.size(), o->p);
}

// Every order at sizes of its parameters that leave tails, partial warps and empty lanes.
std::vector<OrderChoice> choices() {
    std::vector<OrderChoice> all;
    for (const char* text : {"lanes:1x1", "lanes:8x2", "lanes:5x3", "masked:8x1", "masked:3x2", "pairwise:1",
                             "pairwise:16", "cuda_block:32x4", "cuda_block:48x2", "cuda_block:192x1",
                             "butterfly:8x1", "butterfly:6x2", "aten_cascade:4", "aten_cascade:1"})
        all.push_back(*find_order(text));
    for (const Order* o : orders::all()) all.push_back(*find_order(o->name));
    return all;
}

// The spike row: x0 = 4096, the rest 1; the lane count shows in r. Recorded with strided partials and a
// halving tree.
TEST(Order, SpikeRowShowsTheLanes) {
    std::vector<float> x(7168, 1.0f);
    x[0] = 4096;
    const std::pair<const char*, std::uint32_t> recorded[] = {
        {"sequential", 0x3ca953fd},   {"lanes:1x1", 0x3ca953fd},   {"lanes:8x1", 0x3ca94be3},
        {"lanes:16x1", 0x3ca94b4f},   {"lanes:32x1", 0x3ca94b05},  {"lanes:256x1", 0x3ca94ac4},
        {"lanes:1024x1", 0x3ca94abe}, {"masked:16x1", 0x3ca94b4f}, {"cuda_block:256x1", 0x3ca94ac4}};
    for (const auto& [order, r] : recorded) {
        const float v = sum(order, x) / 7168.0f + 1e-6f;
        EXPECT_EQ(bits(static_cast<float>(1 / std::sqrt(static_cast<double>(v)))), r) << order;
    }
}

// Sums of squares by numpy 2.4.6 (np.sum) and torch 2.15.0 (CPU, pow(2).sum(-1)). x_i = ((i * 2654435761 +
// 12345) mod 2^32
// >> 8) * 2^-24, and with a spike x[n/3] = 3001.
TEST(Order, EqualsNumpyAndTorch) {
    const struct {
        std::size_t n;
        bool spike;
        std::uint32_t numpy, torch;
    } recorded[] = {
        {7, false, 0x3ff32c8c, 0x3ff32c8b},    {8, false, 0x40006612, 0x40006613},
        {31, false, 0x41245a0a, 0x41245a09},   {33, false, 0x412e6b1b, 0x412e6b1c},
        {100, false, 0x4202c02c, 0x4202c02b},  {129, false, 0x422865ec, 0x422865eb},
        {512, false, 0x432a7fc5, 0x432a7fc5},  {512, true, 0x4b096c5b, 0x4b096c5c},
        {1000, false, 0x43a6aa30, 0x43a6aa30}, {1000, true, 0x4b096cfe, 0x4b096cfe},
        {1536, false, 0x43fffef8, 0x43fffef8}, {1536, true, 0x4b096db0, 0x4b096db1},
        {4109, false, 0x44ab3644, 0x44ab3644}, {4109, true, 0x4b09710c, 0x4b097109},
        {7168, false, 0x45155b04, 0x45155b04}, {7168, true, 0x4b097506, 0x4b097506},
        {7169, false, 0x45155b16, 0x45155b16}, {7169, true, 0x4b097506, 0x4b097506},
    };
    for (const auto& c : recorded) {
        std::vector<float> x(c.n);
        for (std::size_t i = 0; i < c.n; ++i)
            x[i] = static_cast<float>((static_cast<std::uint32_t>(i) * 2654435761u + 12345u) >> 8) * 0x1p-24f;
        if (c.spike) x[c.n / 3] = 3001;
        EXPECT_EQ(bits(sum("pairwise", x)), c.numpy) << c.n << c.spike;
        EXPECT_EQ(bits(sum("aten_cascade", x)), c.torch) << c.n << c.spike;
    }
}

// On integer rows with a sum below 2^24 every partial sum is exact, so every order and every accumulator
// agree.
TEST(Order, EqualsTheExactSumOnIntegerRows) {
    Rng rng(1, 2, 3);
    for (const std::size_t n : {0, 1, 2, 3, 7, 31, 32, 33, 63, 127, 128, 129, 300, 1536, 1537}) {
        std::vector<float> x(n), y(n);
        std::int64_t squares = 0, dot = 0, total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const int a = rng.between(-80, 80), b = rng.between(-80, 80);
            x[i] = static_cast<float>(a);
            y[i] = static_cast<float>(b);
            squares += a * a;
            dot += a * b;
            total += a;
        }
        ASSERT_LT(squares, 1 << 24);
        for (const auto& c : choices()) {
            const auto& o = *c.order;
            const auto s = static_cast<float>(squares);
            EXPECT_EQ(o.f32({x.data()}, n, c.p), s) << c.text() << " n " << n;
            EXPECT_EQ(o.fma({x.data()}, n, c.p), s) << c.text() << " n " << n;
            EXPECT_EQ(o.f64({x.data()}, n, c.p), static_cast<double>(squares)) << c.text() << " n " << n;
            EXPECT_EQ(o.terms({x.data()}, n, c.p), static_cast<float>(total)) << c.text() << " n " << n;
            EXPECT_EQ(o.terms_f64({x.data()}, n, c.p), static_cast<double>(total)) << c.text() << " n " << n;
            EXPECT_EQ(o.dot({x.data(), y.data()}, n, c.p), static_cast<float>(dot)) << c.text() << " n " << n;
            EXPECT_EQ(o.low({x.data(), [](float v) { return v; }}, n, c.p), s) << c.text() << " n " << n;
        }
    }
}

// Heights by brute force: a value 4^k stands for a subtree of height k, so the sum of two subtrees is no
// power of four and the narrowing takes it to 4^(max + 1); a zero operand leaves a power of four and costs
// nothing. Exact up to height 11.
float grow(float v) {
    int e = 0;
    const float m = std::frexp(v, &e);  // v = m 2^e, m in [1/2, 1)
    if (v == 0 || (m == 0.5f && e % 2 == 1)) return v;
    return std::ldexp(1.0f, 2 * ((e - 1) / 2 + 1));
}

TEST(Order, HeightsByBruteForce) {
    int checked = 0;
    for (std::size_t n = 0; n <= 300; n = n < 70 ? n + 1 : n + 23) {
        const std::vector<float> x(n, 1.0f);
        for (const auto& c : choices()) {
            const int height = c.order->height({}, n, c.p);
            if (n == 0) {
                EXPECT_EQ(height, -1) << c.text();
            } else if (height <= 11) {
                EXPECT_EQ(std::ldexp(1.0f, 2 * height), c.order->low({x.data(), grow}, n, c.p))
                    << c.text() << " n " << n;
                ++checked;
            } else {
                EXPECT_GT(c.order->low({x.data(), grow}, n, c.p), std::ldexp(1.0f, 2 * 10))
                    << c.text() << " n " << n;
            }
        }
    }
    EXPECT_GT(checked, 800);
    const auto height = [](const char* t, std::size_t n) {
        return find_order(t)->order->height({}, n, find_order(t)->p);
    };
    EXPECT_EQ(height("sequential", 7168), 7167);
    EXPECT_EQ(height("lanes:8x4", 7168), 7168 / 32 - 1 + 3 + 3);
    EXPECT_EQ(height("masked:16x1", 17), 1 + 4);
    EXPECT_EQ(height("cuda_block:256x1", 7168), 27 + 8);
    EXPECT_EQ(height("butterfly:32x4", 7168), 223 + 5);
    EXPECT_EQ(height("pairwise:1", 4096),
              8 + 1 + 3);  // 256 blocks of 16: two a stream, three joins, eight levels
    // 512 rows of 32: sixteen in turn, sixteen of those, two of those (levels 0 to 2); four streams, then eight lanes.
    EXPECT_EQ(height("aten_cascade", 16384), 15 + 15 + 1 + 3 + 7);
}

// Swapped or ignored parameters show: on some of 64 rows the sums differ.
TEST(Order, ParametersMatter) {
    const std::pair<const char*, const char*> pairs[] = {{"lanes:8x4", "lanes:4x8"},
                                                         {"masked:16x4", "masked:4x16"},
                                                         {"cuda_block:64x2", "cuda_block:64x1"},
                                                         {"butterfly:32x4", "butterfly:4x32"},
                                                         {"aten_cascade:8", "aten_cascade:16"},
                                                         {"pairwise:128", "pairwise:64"},
                                                         {"butterfly:32x1", "cuda_block:32x1"},
                                                         {"lanes:8x4", "masked:8x4"}};
    for (const auto& [a, b] : pairs) {
        int differ = 0;
        for (std::uint64_t row = 0; row < 64; ++row) {
            Rng rng(5, 6, row);
            std::vector<float> x(1535);
            for (auto& v : x) v = static_cast<float>(rng.gauss()) * 0x1p-16f;
            x[rng.below(1535)] = 99;
            differ += sum(a, x) != sum(b, x);
        }
        EXPECT_GT(differ, 8) << a << " " << b;
    }
}

TEST(Order, Texts) {
    EXPECT_EQ(find_order("lanes:8x4")->text(), "lanes");
    EXPECT_EQ(find_order("lanes:16x2")->text(), "lanes:16x2");
    EXPECT_EQ(find_order("lanes")->p, (OrderParams{8, 4, 0}));
    for (const char* bad :
         {"", "lane", "lanes:", "lanes:8", "lanes:8x", "lanes:8x4x2", "lanes:0x4", "lanes:-8x4", "lanes:8x4 ",
          "lanes:99999999999x1", "sequential:8", "lanes:4096x65536"})
        EXPECT_FALSE(find_order(bad)) << bad;
    for (const auto& c : choices()) EXPECT_EQ(find_order(c.text())->p, c.p) << c.text();
}

}  // namespace
}  // namespace ulpgate
