#include "reports/demo/allclose.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ulpgate {
namespace {

// A row of ones: mean square 1, eps 0, every output is the gain.
struct Ones {
    Tensors t;
    Outcome o;
    Ones() {
        Sizes n;
        const Op& op = *find_op("q_a_layernorm");
        op.defaults(n);
        n[Dim::d] = 4;
        op.derive(n);
        t = lay_out(op, default_contract(Type::f32, Map::cast_first), n);
        t.eps = 0;
        const float one[4] = {1, 1, 1, 1}, gain[4] = {1, 2, -3, 0};
        t.find("x")->write_row(0, one);
        t.find("w")->write_row(0, gain);
        o.out.resize(t.all.size());
        o.out.back().resize(16);
        set({1, 2, -3, 0});
    }
    void set(std::array<float, 4> y) { pack(Type::f32, y, o.out.back().data()); }
    AllClose close() const { return all_close(t, o, 1e-2, 1e-2); }
};

TEST(AllClose, IsWithinOnTheEdgeAndBeyond) {
    Ones c;
    EXPECT_TRUE(c.close().close);
    EXPECT_EQ(c.close().largest, 0);
    EXPECT_EQ(c.close().elements, 4);
    c.set({1, 2.029f, -3, 0});  // 0.029 of 0.03
    EXPECT_TRUE(c.close().close);
    EXPECT_NEAR(c.close().largest, 0.029 / 0.03, 1e-4);
    c.set({1, 2.031f, -3, 0});
    EXPECT_FALSE(c.close().close);
    c.set({1, 2, -3, std::numeric_limits<float>::quiet_NaN()});
    EXPECT_FALSE(c.close().close) << "a NaN is not close";
}

}  // namespace
}  // namespace ulpgate
