#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "properties/order/in_process_test.hpp"
#include "properties/order/recover.hpp"
#include "properties/order/words.hpp"

namespace ulpgate {
namespace {

using Kind = OrderFinding::Kind;

OrderFinding recover(InProcess& k, std::int64_t d, OrderOptions o = {}) {
    auto p = k.prober(d);
    Contract c = k.model.contract;
    c.order = "any";
    c.sq = c.acc = Accumulate::f32;
    const auto forms = find_forms(p, forms_of({c}));
    EXPECT_FALSE(forms.equal.empty()) << k.text();
    return recover_order(p, forms.equal, o);
}

void expect_recovered(const std::string& text, std::int64_t d) {
    InProcess k(text);
    const auto f = recover(k, d);
    ASSERT_EQ(static_cast<int>(f.kind), static_cast<int>(Kind::tree)) << text << " " << d << ": " << f.why;
    Tree own;
    own.root = k.model.order.order->tree({&own, {}}, static_cast<std::size_t>(d), k.model.order.p);
    EXPECT_TRUE(compare(f.tree, own, "found", "own").equal) << text << " " << compare(f.tree, own, "found", "own").where;
    EXPECT_EQ(f.equal, f.replayed) << text;
    EXPECT_GE(f.replayed, 64) << text;
    EXPECT_GT(f.telling, 0) << text;
    ASSERT_FALSE(f.models.empty()) << text;
    Model m;
    EXPECT_FALSE(parse(f.models[0], m)) << f.models[0];
}

// Every order of the bank, in every type, with a tail.
TEST(Order, OfEveryModelIsRecovered) {
    for (const Order* o : orders::all())
        for (const char* t : {"bf16", "fp16", "f32"})
            expect_recovered(fmt::format("{},cast_first,order={}", t, o->name), 83);
    for (const Order* o : orders::all()) expect_recovered(fmt::format("f32,cast_first,order={}", o->name), 64);
    expect_recovered("bf16,f32_gain,assoc=x_rw,order=lanes:4x2,mean=recip", 131);
    expect_recovered("f32,cast_first,order=lanes:4x2,fma,rsqrt_form=recip_sqrt", 131);
    expect_recovered("bf16,cast_first,by=div,order=butterfly:8x2", 131);
    expect_recovered("bf16,cast_first,gain=one_plus,order=masked:4x2", 131);
}

// Written by hand: ((0 + 1) + 2) + (4 + 3) is this tree and no other.
TEST(Order, IsTheTreeThatWasWritten) {
    InProcess k("bf16,cast_first", [](std::span<const float> x, std::int64_t) {
        const float a = x[0] * x[0] + x[1] * x[1], b = a + x[2] * x[2], c = x[4] * x[4] + x[3] * x[3];
        return static_cast<double>(b + c);
    });
    const auto f = recover(k, 5);
    ASSERT_EQ(static_cast<int>(f.kind), static_cast<int>(Kind::tree)) << f.why;
    Tree t;
    const int left = t.join(t.join(t.leaf(0), t.leaf(1)), t.leaf(2));
    const int right = t.join(t.leaf(3), t.leaf(4));
    t.root = t.join(left, right);
    EXPECT_TRUE(compare(f.tree, t, "found", "written").equal);
    Tree other;
    const int l = other.join(other.join(other.leaf(0), other.leaf(2)), other.leaf(1)), r = other.join(other.leaf(3), other.leaf(4));
    other.root = other.join(l, r);
    const auto d = compare(f.tree, other, "found", "other");
    EXPECT_FALSE(d.equal);
    EXPECT_EQ(d.where, "over columns 0, 1, 2: found adds {0, 1} + {2}; other adds {0, 2} + {1}");
}

// All rooted trees over columns 0 .. n-1, those with nodes of more parts too: one column after another, on each edge and at each node.
struct Shape {
    int column = -1;
    std::vector<Shape> parts;
};
void with_leaf(const Shape& s, int column, const std::function<void(Shape)>& each) {
    each({-1, {s, {column, {}}}});
    if (s.parts.empty()) return;
    Shape more = s;
    more.parts.push_back({column, {}});
    each(more);
    for (std::size_t k = 0; k < s.parts.size(); ++k)
        with_leaf(s.parts[k], column, [&](Shape part) {
            Shape t = s;
            t.parts[k] = std::move(part);
            each(std::move(t));
        });
}
int grow(Tree& t, const Shape& s) {
    if (s.parts.empty()) return t.leaf(s.column);
    std::vector<int> parts;
    for (const Shape& p : s.parts) parts.push_back(grow(t, p));
    return t.join(parts);
}
bool holds(const Shape& s, int column) {
    return s.column == column || std::any_of(s.parts.begin(), s.parts.end(), [&](const Shape& p) { return holds(p, column); });
}
// Where the three part: the last two are still together, the first is not.
bool joins_last(const Shape& s, const Three& c) {
    for (const Shape& p : s.parts)
        if (holds(p, c[1]) && holds(p, c[2])) return !holds(p, c[0]) || joins_last(p, c);
    return false;
}

TEST(Certificate, IsGivenByNoOtherTree) {
    for (int n = 3; n <= 6; ++n) {
        std::vector<Shape> all{{0, {}}};
        for (int column = 1; column < n; ++column) {
            std::vector<Shape> more;
            for (const Shape& s : all) with_leaf(s, column, [&](Shape t) { more.push_back(std::move(t)); });
            all = std::move(more);
        }
        const std::size_t known[] = {4, 26, 236, 2752};  // rooted trees with n labelled leaves (OEIS A000311)
        ASSERT_EQ(all.size(), known[n - 3]);
        for (const Shape& s : all) {
            Tree t;
            t.root = grow(t, s);
            if (!t.binary()) continue;
            const auto asked = certificate(t);
            ASSERT_EQ(asked.size(), static_cast<std::size_t>(n) - 2);
            int by = 0;
            for (const Shape& o : all) by += std::all_of(asked.begin(), asked.end(), [&](const Three& c) { return joins_last(o, c); });
            ASSERT_EQ(by, 1);
        }
    }
}

// A guess that is right saves the search; one that is wrong in two columns of many is not taken, though the first answers fit it.
TEST(Order, OfTheBankIsCertified) {
    InProcess k("bf16,cast_first,order=lanes:8x4");
    const auto f = recover(k, 400);
    EXPECT_EQ(f.models.size(), 1u);
    EXPECT_LT(f.probes, 7 * 400);
}

TEST(Order, TwoColumnsBesideAnOrderOfTheBankAreSeen) {
    InProcess k("bf16,cast_first", [](std::span<const float> x, std::int64_t) {
        float s = 0;
        for (std::size_t i = 0; i < x.size(); ++i) s += i == 150 ? x[150] * x[150] + x[151] * x[151] : i == 151 ? 0 : x[i] * x[i];
        return static_cast<double>(s);
    });
    const auto f = recover(k, 300);
    ASSERT_EQ(static_cast<int>(f.kind), static_cast<int>(Kind::tree)) << f.why;
    EXPECT_TRUE(f.by_tree);
    EXPECT_TRUE(f.models.empty());
    Tree t;
    for (int i = 0; i < 300; ++i) {
        if (i == 151) continue;
        const int leaf = t.leaf(i);
        t.root = t.join(t.root, i == 150 ? t.join(leaf, t.leaf(151)) : leaf);
    }
    EXPECT_TRUE(compare(f.tree, t, "found", "written").equal) << compare(f.tree, t, "found", "written").where;
}

TEST(Order, OfManyColumnsByRegularity) {
    InProcess k("bf16,cast_first,order=lanes:16x2");
    const auto f = recover(k, 2100, {.sampled_columns = 96, .rows = 16});
    EXPECT_EQ(static_cast<int>(f.kind), static_cast<int>(Kind::regular)) << f.why;
    ASSERT_FALSE(f.models.empty());
    EXPECT_NE(f.models[0].find("order=lanes:16x2"), std::string::npos) << f.models[0];
    EXPECT_EQ(f.equal, f.replayed);
}

TEST(Order, OfAnUnknownTreeIsReplayedThroughTheTree) {
    InProcess k("f32,cast_first", [](std::span<const float> x, std::int64_t) {  // from both ends
        float s = 0;
        for (std::size_t i = 0; i < x.size() / 2; ++i) s += x[i] * x[i] + x[x.size() - 1 - i] * x[x.size() - 1 - i];
        return static_cast<double>(s);
    });
    const auto f = recover(k, 64);
    EXPECT_EQ(static_cast<int>(f.kind), static_cast<int>(Kind::tree)) << f.why;
    EXPECT_TRUE(f.models.empty());
    EXPECT_TRUE(f.by_tree);
    EXPECT_EQ(f.equal, 64);
}

TEST(Order, WiderThanF32SaysSo) {
    for (const char* t : {"bf16", "f32"}) {
        InProcess k(fmt::format("{},cast_first", t), [](std::span<const float> x, std::int64_t) {
            double s = 0;
            for (const float v : x) s += static_cast<double>(v) * static_cast<double>(v);
            return static_cast<double>(static_cast<float>(s));
        });
        EXPECT_EQ(static_cast<int>(recover(k, 64).kind), static_cast<int>(Kind::wider)) << t;
    }
}

TEST(Order, NodesOfSeveralTermsAreSeen) {
    InProcess k("f32,cast_first", [](std::span<const float> x, std::int64_t) {  // four squares at a time, rounded once
        float s = 0;
        for (std::size_t i = 0; i + 4 <= x.size(); i += 4) {
            double part = 0;
            for (std::size_t j = i; j < i + 4; ++j) part += static_cast<double>(x[j]) * static_cast<double>(x[j]);
            s += static_cast<float>(part);
        }
        return static_cast<double>(s);
    });
    const auto f = recover(k, 32);
    EXPECT_GT(f.multiway, 0);
    EXPECT_FALSE(f.tree.binary());
    EXPECT_NE(f.words.find("more than two terms at once"), std::string::npos) << f.words;
}

TEST(Order, AColumnLeftOutIsNoTree) {
    InProcess k("bf16,cast_first", [](std::span<const float> x, std::int64_t) {
        float s = 0;
        for (std::size_t i = 0; i + 1 < x.size(); ++i) s += x[i] * x[i];
        return static_cast<double>(s);
    });
    auto p = k.prober(64);
    const auto f = recover_order(p, forms_of({k.model.contract}));
    EXPECT_EQ(static_cast<int>(f.kind), static_cast<int>(Kind::not_a_tree));
    EXPECT_EQ(f.why, "columns 63 do not enter the sum once, like the others");
}

TEST(Order, Words) {
    const auto words = [](const char* order, std::size_t d) {
        const auto c = find_order(order);
        Tree t;
        t.root = c->order->tree({&t, {}}, d, c->p);
        return order_words(t);
    };
    EXPECT_EQ(words("sequential", 10), "one serial sum, in the order of the columns");
    EXPECT_EQ(words("lanes:4x2", 34),
              "8 partial sums, each serial (0, 8, 16, 24; 1, 9, 17, 25; ...); joined by halving; 8 additions deep; then columns 32, 33 one at a time");
    EXPECT_EQ(words("butterfly:8x1", 32), "8 partial sums, each serial (0, 8, 16, 24; 1, 9, 17, 25; ...); joined neighbours first; 6 additions deep");
}

TEST(Forms, AreTold) {
    for (const char* text : {"bf16,cast_first,mean=div", "bf16,cast_first,mean=recip", "bf16,cast_first,mean=div,rsqrt_form=recip_sqrt", "fp16,cast_first,mean=recip,rsqrt_form=recip_sqrt",
                             "f32,cast_first,by=div,mean=div", "bf16,f32_gain,assoc=xw_r,mean=div", "bf16,f32_gain,assoc=x_rw,mean=recip,rsqrt_form=recip_sqrt"}) {
        InProcess k(text);
        auto p = k.prober(1536);
        Contract open = k.model.contract;
        open.assoc = Assoc::any;
        open.mean = Mean::any;
        const auto f = find_forms(p, forms_of({open}));
        ASSERT_EQ(f.equal.size(), 1u) << text;
        EXPECT_EQ(f.equal[0].text, text);
        EXPECT_GT(f.splitting, 0);
    }
    InProcess off("f32,cast_first,rsqrt_form=up:3");
    auto p = off.prober(96);
    const auto f = find_forms(p, forms_of({off.model.contract}));
    EXPECT_TRUE(f.equal.empty());
    EXPECT_TRUE(f.measured);
    EXPECT_EQ(f.steps_high, 3);
}

}  // namespace
}  // namespace ulpgate
