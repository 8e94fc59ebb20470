// Integer, logic and comparison opcodes: results worked out by hand from PTX ISA 9.7, at the edges.
#include <cmath>

#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/lanes_test.hpp"
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::ptx::testing {
namespace {

struct Row {
    const char* opcode;
    int out;
    std::vector<int> in;
    std::vector<std::uint64_t> x;
    std::uint64_t y;
};

TEST(PtxOpcodes, IntegersAtTheirEdges) {
    const std::vector<int> w2{32, 32}, w3{32, 32, 32}, d2{64, 64}, h2{16, 16};
    const std::vector<Row> rows = {
        {"add.s32", 32, w2, {0xffffffff, 2}, 1}, {"sub.s32", 32, w2, {1, 2}, 0xffffffff}, {"add.s16", 16, h2, {0xffff, 2}, 1}, {"sub.s16", 16, h2, {1, 2}, 0xffff},
        {"mul.lo.s32", 32, w2, {0x10001, 0x10001}, 0x20001}, {"mul.hi.u32", 32, w2, {0xffffffff, 0xffffffff}, 0xfffffffe}, {"mul.hi.s32", 32, w2, {0xffffffff, 0xffffffff}, 0},
        {"mul.wide.u32", 64, w2, {0xffffffff, 2}, 0x1fffffffe}, {"mul.wide.s32", 64, w2, {0xffffffff, 2}, 0xfffffffffffffffe}, {"mul.wide.u16", 32, h2, {0xffff, 2}, 0x1fffe},
        {"mul.wide.s16", 32, h2, {0xffff, 2}, 0xfffffffe}, {"mul.lo.s64", 64, d2, {1ull << 63, 3}, 1ull << 63}, {"mul.hi.u64", 64, d2, {~0ull, ~0ull}, ~1ull}, {"mul.hi.s64", 64, d2, {~0ull, ~0ull}, 0},
        {"mad.lo.s32", 32, w3, {3, 5, 0xfffffff0}, 0xffffffff}, {"mad.wide.s32", 64, {32, 32, 64}, {0xffffffff, 3, 5}, 2}, {"mad.wide.u32", 64, {32, 32, 64}, {0xffffffff, 2, 5}, 0x200000003},
        {"mad.lo.s64", 64, {64, 64, 64}, {1ull << 32, 1ull << 32, 7}, 7},
        {"div.s32", 32, w2, {0xfffffff9, 2}, 0xfffffffd}, {"div.u32", 32, w2, {0xfffffff9, 2}, 0x7ffffffc}, {"rem.s32", 32, w2, {0xfffffff9, 2}, 0xffffffff}, {"rem.u32", 32, w2, {7, 4}, 3},
        {"div.s64", 64, d2, {~6ull, 2}, ~2ull}, {"rem.u64", 64, d2, {7, 4}, 3}, {"div.u32", 32, w2, {7, 0}, 0xffffffff}, {"rem.u32", 32, w2, {7, 0}, 7}, {"div.s32", 32, w2, {0x80000000, 0xffffffff}, 0x80000000},
        {"min.s32", 32, w2, {0xffffffff, 1}, 0xffffffff}, {"min.u32", 32, w2, {0xffffffff, 1}, 1}, {"max.s32", 32, w2, {0xffffffff, 1}, 1}, {"max.u32", 32, w2, {0xffffffff, 1}, 0xffffffff},
        {"min.s64", 64, d2, {~0ull, 1}, ~0ull}, {"max.u64", 64, d2, {~0ull, 1}, ~0ull}, {"neg.s32", 32, {32}, {0x80000000}, 0x80000000}, {"abs.s32", 32, {32}, {0xfffffffe}, 2},
        {"shl.b32", 32, w2, {1, 31}, 0x80000000}, {"shl.b32", 32, w2, {1, 32}, 0}, {"shr.u32", 32, w2, {0x80000000, 31}, 1}, {"shr.u32", 32, w2, {0x80000000, 32}, 0}, {"shr.s32", 32, w2, {0x80000000, 40}, 0xffffffff},
        {"shl.b64", 64, {64, 32}, {1, 63}, 1ull << 63}, {"shl.b64", 64, {64, 32}, {1, 64}, 0}, {"shr.s64", 64, {64, 32}, {1ull << 63, 99}, ~0ull}, {"shr.u64", 64, {64, 32}, {1ull << 63, 64}, 0},
        {"shl.b16", 16, {16, 32}, {0x8001, 1}, 2}, {"shr.u16", 16, {16, 32}, {0x8001, 15}, 1}, {"shr.s16", 16, {16, 32}, {0x8001, 4}, 0xf800},
        {"shf.l.wrap.b32", 32, w3, {0x80000000, 1, 33}, 3}, {"shf.r.wrap.b32", 32, w3, {0x80000000, 1, 4}, 0x18000000},
        {"and.b32", 32, w2, {12, 10}, 8}, {"or.b32", 32, w2, {12, 10}, 14}, {"xor.b64", 64, d2, {12, 10}, 6}, {"not.b16", 16, {16}, {0x00ff}, 0xff00}, {"not.b32", 32, {32}, {0}, 0xffffffff},
        {"bfi.b32", 32, {32, 32, 32, 32}, {0xff, 0, 8, 4}, 0xf00}, {"bfi.b32", 32, {32, 32, 32, 32}, {0xff, 7, 40, 4}, 7}, {"bfi.b32", 32, {32, 32, 32, 32}, {1, 7, 3, 0}, 7},
        {"bfe.u32", 32, w3, {0xabcd, 4, 8}, 0xbc}, {"bfe.s32", 32, w3, {0xabcd, 4, 8}, 0xffffffbc}, {"bfe.s32", 32, w3, {0x80000000, 24, 32}, 0xffffff80}, {"bfe.u32", 32, w3, {5, 0, 0}, 0},
        {"prmt.b32", 32, w3, {0x33221100, 0x77665544, 0x7531}, 0x77553311}, {"prmt.b32", 32, w3, {0x80, 0, 0x8888}, 0xffffffff},
        {"lop3.b32", 32, {32, 32, 32, 32}, {0xf0, 0xcc, 0xaa, 0x96}, 0xf0 ^ 0xcc ^ 0xaa}, {"lop3.b32", 32, {32, 32, 32, 32}, {0xf0, 0xcc, 0xaa, 0xe8}, (0xf0 & 0xcc) | (0xf0 & 0xaa) | (0xcc & 0xaa)},
        {"popc.b32", 32, {32}, {0xf0f0}, 8}, {"clz.b32", 32, {32}, {1}, 31}, {"clz.b32", 32, {32}, {0}, 32},
        {"setp.lt.s32", 1, w2, {0xffffffff, 0}, 1}, {"setp.lt.u32", 1, w2, {0xffffffff, 0}, 0}, {"setp.hi.u32", 1, w2, {0xffffffff, 0}, 1}, {"setp.ge.s64", 1, d2, {~0ull, 0}, 0}, {"setp.eq.b16", 1, h2, {7, 7}, 1},
        {"setp.gt.s16", 1, h2, {0xffff, 0}, 0}, {"setp.gt.u16", 1, h2, {0xffff, 0}, 1}, {"setp.ne.s32", 1, w2, {1, 1}, 0}, {"setp.le.u64", 1, d2, {5, 5}, 1},
    };
    for (const auto& r : rows) {
        std::vector<Values> x;
        for (const auto v : r.x) x.push_back({v});
        EXPECT_EQ(apply(r.opcode, r.out, r.in, x)[0], r.y) << r.opcode << " " << std::hex << r.x[0];
    }
}

// All float comparisons with less, equal, greater and unordered.
TEST(PtxOpcodes, FloatComparisonsAndNaN) {
    const std::uint64_t one = 0x3f800000, two = 0x40000000, nan = 0x7fc00000;
    const std::vector<Values> x{{one, one, two, nan}, {two, one, one, one}};
    const std::pair<const char*, const char*> right[] = {{"lt", "1000"}, {"le", "1100"}, {"gt", "0010"}, {"ge", "0110"}, {"eq", "0100"}, {"ne", "1010"}, {"ltu", "1001"},
                                                         {"leu", "1101"}, {"gtu", "0011"}, {"geu", "0111"}, {"equ", "0101"}, {"neu", "1011"}, {"num", "1110"}, {"nan", "0001"}};
    for (const auto& [name, bits] : right) {
        const auto y = apply(std::string("setp.") + name + ".f32", 1, {32, 32}, x);
        for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(y[k], static_cast<unsigned>(bits[k] - '0')) << name << " " << k;
    }
    EXPECT_EQ(apply("setp.eq.ftz.f32", 1, {32, 32}, {{1}, {0x80000002}})[0], 1u);  // both zero once flushed
    EXPECT_EQ(apply("setp.eq.f32", 1, {32, 32}, {{1}, {0x80000002}})[0], 0u);
}

TEST(PtxOpcodes, MinimaAndMaxima) {
    const std::uint64_t nan = 0x7fc00000, one = 0x3f800000, zero = 0, minus_zero = 0x80000000;
    const std::vector<Values> x{{nan, one, nan, zero, minus_zero}, {one, nan, nan, minus_zero, zero}};
    EXPECT_EQ(apply("max.f32", 32, {32, 32}, x), (Values{one, one, 0x7fffffff, zero, zero}));
    EXPECT_EQ(apply("min.f32", 32, {32, 32}, x), (Values{one, one, 0x7fffffff, minus_zero, minus_zero}));
}

// Exact strings only: a modifier that is not known is an error with its line.
TEST(PtxOpcodes, WhatIsNotListedIsAnError) {
    for (const std::string opcode : {"add.sat.f32", "add.rz.f32", "fma.rn.sat.f32", "mul.rn.ftz.sat.f32", "sqrt.rz.f32", "sad.s32", "add.f32x2"}) {
        try {
            apply(opcode, 32, {32, 32}, {{0}, {0}});
            ADD_FAILURE() << opcode << " ran";
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find("line "), std::string::npos) << e.what();
            EXPECT_NE(std::string(e.what()).find("'" + opcode + "' is not known"), std::string::npos) << e.what();
        }
    }
    EXPECT_THROW(apply("add.s32", 32, {32, 16}, {{0}, {0}}), Error);      // a register of another width
    EXPECT_THROW(apply("add.f32", 32, {32}, {{0}}, ", 1"), Error);        // an integer literal in a float's place
    EXPECT_THROW(apply("add.s32", 32, {32}, {{0}}, ", 0f3f800000"), Error);
    EXPECT_THROW(apply("add.s32", 32, {32}, {{0}}), Error);               // too few
    EXPECT_EQ(apply("add.f32", 32, {32}, {{0}}, ", 0f3f800000")[0], 0x3f800000u);
}

}  // namespace
}  // namespace ulpgate::ptx::testing
