// The machine: divergence, barriers, shuffles, and what it finds wrong, each with its line and thread.
#include <fmt/format.h>

#include <algorithm>

#include "impls/cuda/ptx/block_test.hpp"

namespace ulpgate::ptx::testing {
namespace {

TEST(PtxMachine, BranchesMeetAgain) {
    // Lanes count down from their number by different ways and meet at a shuffle.
    const auto r = run_block(kernel("mov.u32 %r0, 0;\nmov.u32 %r1, %tid.x;\n"
                                    "again:\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra out;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra even;\n"
                                    "add.s32 %r0, %r0, 100;\nbra next;\neven:\nadd.s32 %r0, %r0, 1;\nnext:\nsub.s32 %r1, %r1, 1;\nbra again;\n"
                                    "out:\nshfl.sync.idx.b32 %r0, %r0, 5, 31, -1;\n"),
                             32);
    ASSERT_EQ(r.error, "");
    for (const auto v : r.y) EXPECT_EQ(v, 302u);  // lane 5: 5, 3, 1 odd; 4, 2 even
}
// A trace takes each instruction by itself; without one, those that follow each other go at once.
TEST(PtxMachine, StepByStepGivesTheSame) {
    const std::string body = "mov.u32 %r0, 1;\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\n"
                             "again:\nmul.lo.u32 %r0, %r0, 3;\nadd.s32 %r0, %r0, %r1;\nsub.s32 %r2, %r2, 1;\nsetp.ge.s32 %p0, %r2, 0;\n@!%p0 add.s32 %r0, %r0, 7;\n@%p0 bra again;\n"
                             "shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;\nxor.b32 %r0, %r0, %r3;\n";
    std::vector<std::pair<int, std::uint32_t>> steps;
    const auto traced = run_block(kernel(body), 64, 0, [&](const Warp&, const Instruction& i, std::uint32_t active) { steps.emplace_back(i.line, active); });
    EXPECT_EQ(traced.error, "");
    EXPECT_EQ(run_block(kernel(body), 64).y, traced.y);
    for (std::uint32_t t = 0; t < 64; ++t) {
        const auto alone = [](std::uint32_t n) {
            std::uint32_t v = 1;
            for (std::uint32_t k = 0; k <= (n & 3); ++k) v = 3 * v + n;
            return v + 7;
        };
        EXPECT_EQ(traced.y[t], alone(t) ^ alone(t ^ 1));
    }
    // Lanes with 3 in their two low bits go round four times; at the shuffle all are together.
    using Step = std::pair<int, std::uint32_t>;
    EXPECT_EQ(steps.at(0), (Step{11, ~0u}));
    EXPECT_EQ(std::count(steps.begin(), steps.end(), Step{15, 0x88888888u}), 2);
    EXPECT_EQ(std::count(steps.begin(), steps.end(), Step{21, ~0u}), 2);  // a warp once
}
TEST(PtxMachine, ShufflesOfEveryKind) {
    const auto with = [](const std::string& s) { return run_block(kernel("mov.u32 %r1, %laneid;\n" + s + "\n"), 32).y; };
    const auto up = with("shfl.sync.up.b32 %r0, %r1, 3, 0, -1;"), down = with("shfl.sync.down.b32 %r0, %r1, 3, 31, -1;"),
               xor_ = with("shfl.sync.bfly.b32 %r0, %r1, 5, 31, -1;"), segment = with("shfl.sync.idx.b32 %r0, %r1, 2, 0x1807, -1;"),
               predicate = with("shfl.sync.down.b32 %r2|%p0, %r1, 3, 31, -1;\nselp.u32 %r0, 1, 0, %p0;");
    for (std::uint32_t l = 0; l < 32; ++l) {
        EXPECT_EQ(up[l], l < 3 ? l : l - 3);
        EXPECT_EQ(down[l], l + 3 < 32 ? l + 3 : l);
        EXPECT_EQ(xor_[l], l ^ 5);
        EXPECT_EQ(segment[l], (l & 24) + 2);  // width 8
        EXPECT_EQ(predicate[l], l + 3 < 32 ? 1u : 0u);
    }
    for (std::uint32_t by = 0; by < 32; ++by) {  // the whole warp by a power of two has a way of its own
        const auto y = with("shfl.sync.bfly.b32 %r0, %r1, " + std::to_string(by) + ", 31, -1;");
        for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(y[l], l ^ by);
    }
    EXPECT_EQ(with("setp.lt.u32 %p0, %r1, 5;\nvote.sync.ballot.b32 %r0, %p0, -1;")[9], 31u);
}
TEST(PtxMachine, MovesAndPredicates) {
    const auto y = [](const std::string& body) { return run_block(kernel("mov.u32 %r1, %tid.x;\n" + body), 32).y; };
    const std::string two = "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\nand.b32 %r2, %r1, 2;\nsetp.eq.u32 %p2, %r2, 2;\n", chosen = "selp.u32 %r0, 1, 0, %p0;\n";
    const auto both = y(two + "and.pred %p0, %p1, %p2;\n" + chosen), either = y(two + "or.pred %p0, %p1, %p2;\n" + chosen), one = y(two + "xor.pred %p0, %p1, %p2;\n" + chosen),
               neither = y(two + "not.pred %p0, %p1;\n" + chosen), same = y(two + "mov.pred %p0, %p2;\n" + chosen),
               halves = y("mov.b32 {%h0, %h1}, 0x12345678;\nmov.b16 %h2, %h0;\nmov.b32 %r0, {%h1, %h2};\n"),
               words = y("mov.b64 %d3, {%r1, %r2};\nmov.b64 %d3, {7, %r1};\nmov.f64 %d2, %d3;\nmov.b64 {%r3, %r0}, %d2;\nadd.u32 %r0, %r0, %r3;\n"),
               all = y(two + "or.pred %p1, %p1, %p2;\nvote.sync.all.pred %p0, %p1, -1;\n" + chosen), any = y(two + "vote.sync.any.pred %p0, %p1, -1;\n" + chosen),
               here = y(two + "@%p1 activemask.b32 %r0;\n@!%p1 mov.u32 %r0, 9;\n"), fences = y("fence.acq_rel.gpu;\nmembar.gl;\ngriddepcontrol.wait;\nmov.u32 %r0, %r1;\n");
    for (std::uint32_t t = 0; t < 32; ++t) {
        const bool p = t & 1, q = t & 2;
        EXPECT_EQ(both[t], p && q);
        EXPECT_EQ(either[t], p || q);
        EXPECT_EQ(one[t], p != q);
        EXPECT_EQ(neither[t], !p);
        EXPECT_EQ(same[t], q);
        EXPECT_EQ(halves[t], 0x56781234u);
        EXPECT_EQ(words[t], 7 + t);
        EXPECT_EQ(here[t], p ? 0xaaaaaaaau : 9u);
        EXPECT_EQ(fences[t], t);
        EXPECT_EQ(all[t], 0u);
        EXPECT_EQ(any[t], 1u);
    }
    expect_error(kernel("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p0, %r1, 3;\n@%p0 trap;\n"), 32, {"line 13, block (0,0,0) thread (3,0,0): trap"});
}
TEST(PtxMachine, ABarrierOrdersSharedMemory) {
    const std::string write = "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n",
                      read = "xor.b32 %r4, %r1, 32;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r4, %r3;\nld.shared.u32 %r0, [%r4];\n", shared = ".shared .align 16 .b8 s[256];";
    const auto r = run_block(kernel(write + "bar.sync 0;\n" + read, shared), 64);
    ASSERT_EQ(r.error, "");
    for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(r.y[t], t ^ 32);
    // Without it: a race, whichever warp comes first, and both lines are told.
    expect_error(kernel(write + read, shared), 64, {"line 15, block (0,0,0) thread (32,0,0): race: writes shared byte 128, which thread 0 reads at line 19 with no barrier between"});
    // Within a warp bar.warp.sync is enough.
    const auto same_warp = kernel(write + "bar.warp.sync -1;\nxor.b32 %r4, %r1, 1;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r4, %r3;\nld.shared.u32 %r0, [%r4];\n", shared);
    EXPECT_EQ(run_block(same_warp, 32).error, "");
}
TEST(PtxMachine, WhatNothingWroteIsTold) {
    expect_error(kernel("ld.shared.u32 %r0, [s+8];\n"), 32, {"line 11", "reads shared byte 8, which nothing has written"});
}
TEST(PtxMachine, TwoThreadsWriteOnePlace) {
    expect_error(kernel("mov.u32 %r0, %tid.x;\nst.shared.u32 [s], %r0;\n"), 32, {"race: writes shared byte 0, to which thread 0 writes another value at line 12"});
    EXPECT_EQ(run_block(kernel("mov.u32 %r0, 7;\nst.shared.u32 [s], %r0;\n"), 32).error, "");  // the same value: no matter
}
TEST(PtxMachine, AccessesOutsideAndAskew) {
    expect_error(kernel("ld.param.u64 %d2, [y];\nld.global.u32 %r0, [%d2+128];\n"), 32, {"line 12", "thread (0,0,0)", "reads 4 bytes at byte 128 of y, which has 128 bytes", "ld.global.u32"});
    expect_error(kernel("ld.param.u64 %d2, [y];\nld.global.u32 %r0, [%d2+-4];\n"), 32, {"reads 4 bytes at 4 bytes before y"});
    expect_error(kernel("ld.param.u64 %d2, [y];\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d2+4];\n"), 32, {"line 12", "no multiple of 16"});
    expect_error(kernel("mov.u64 %d2, 64;\nld.global.u32 %r0, [%d2];\n"), 32, {"address 0x40, which lies in no tensor"});
    expect_error(kernel("mov.u32 %r1, 126;\nld.shared.u32 %r0, [%r1];\n"), 32, {"4 bytes at byte 126 of shared memory, of which the launch gives 128"});
}
TEST(PtxMachine, MemberMasks) {
    expect_error(kernel("mov.u32 %r1, %laneid;\nshfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xfffffffe;\n"), 32, {"line 12", "wrong member mask: 0xfffffffe does not name lane 0"});
    expect_error(kernel("mov.u32 %r1, %laneid;\nsetp.lt.u32 %p0, %r1, 16;\n@%p0 bra low;\nbar.sync 0;\nbra out;\nlow:\nshfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;\nout:\n"), 32,
                 {"wrong member mask: 0xffffffff names lanes 0xffff0000, which never come here"});
    // A warp that is not whole: lanes that do not exist are no members to wait for, and must not be read.
    expect_error(kernel("mov.u32 %r1, %laneid;\nshfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;\n"), 24, {"reads lane 24 of its warp, which does not exist or has left", "thread (8,0,0)"});
}
TEST(PtxMachine, BarriersThatNeverFill) {
    expect_error(kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p0, %r1, 32;\n@%p0 bra out;\nbar.sync 0, 64;\nout:\n"), 64, {"line 14", "deadlock: barrier 0 waits for 64 threads, 32 have come"});
    // Threads that have left are waited for no longer.
    EXPECT_EQ(run_block(kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p0, %r1, 32;\n@%p0 ret;\nbar.sync 0;\n"), 64).error, "");
    expect_error(kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p0, %r1, 16;\n@%p0 bra low;\nbar.sync 0;\nbra out;\nlow:\nbar.sync 0;\nout:\n"), 32, {"lanes of one warp wait at different barriers"});
}
TEST(PtxMachine, EndlessLoopsEnd) { expect_error(kernel("again:\nadd.s32 %r0, %r0, 1;\nbra again;\n"), 32, {"line 1", "an endless loop?"}); }

TEST(PtxMachine, LaunchesThatCannotBe) {
    expect_error(kernel(""), 1056, {"a block of 1056 threads: at most 1024"});
    auto required = kernel("{ mov.u32 {%r0}, %tid.x; }\n");  // one register in braces is that register
    required.insert(required.find(") {") + 1, " .reqntid 64, 1, 1");
    expect_error(required, 32, {"a block of 32 x 1 x 1 threads: the kernel says .reqntid 64, 1, 1"});
    EXPECT_EQ(run_block(required, 64).y[63], 63u);
    EXPECT_NE(run_block(kernel(""), 32, 300000).error.find("300128 bytes of shared memory a block: at most 232448"), std::string::npos);
    const auto module = parse_module(kernel(""));
    for (const std::size_t bytes : {4u, 12u}) {
        Memory memory;
        Launch launch;
        launch.parameters.resize(bytes);
        try {
            run(decode(module, module.kernels[0]), launch, memory);
            ADD_FAILURE() << "ran";
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(fmt::format("the launch gives {} bytes of parameters, the kernel has 8", bytes)), std::string::npos) << e.what();
        }
    }
}
TEST(PtxMachine, MemoryEndsAtItsLastByte) {
    std::uint8_t bytes[5] = {};
    Memory m;
    m.add("x", bytes, 5, false);
    const auto at = reinterpret_cast<std::uint64_t>(bytes);
    EXPECT_EQ(m.find(at + 3, 2, false), bytes + 3);
    EXPECT_EQ(m.find(at + 4, 2, false), nullptr);
    EXPECT_EQ(m.find(at + 5, 1, false), nullptr);
    EXPECT_EQ(m.find(at - 1, 2, false), nullptr);
    EXPECT_EQ(m.find(at, 1, true), nullptr);  // an input
}

TEST(PtxText, WhatIsWrongIsToldWithItsLine) {
    const auto error = [](const std::string& text) {
        try {
            const auto m = parse_module(text);
            for (const auto& k : m.kernels) decode(m, k);
            return std::string("no error");
        } catch (const Error& e) {
            return std::string(e.what());
        }
    };
    const auto whole = kernel("mov.u32 %r0, 1;\n");
    EXPECT_EQ(error(whole), "no error");
    for (std::size_t n = 0; n < whole.size() - 2; ++n) EXPECT_NE(error(whole.substr(0, n)).find("line "), std::string::npos) << n;  // cut off anywhere
    EXPECT_NE(error(".version 12.0\n.target sm_80\n").find("line 1: PTX version 12.0 is newer"), std::string::npos);
    EXPECT_NE(error(kernel("bra nowhere;\n")).find("line 11: label 'nowhere' does not exist"), std::string::npos);
    EXPECT_NE(error(kernel("tensormap.replace %r0;\n")).find("line 11: opcode 'tensormap.replace' is not known"), std::string::npos);
    EXPECT_NE(error("#include <stdio.h>\n").find("this is no PTX text"), std::string::npos);
    // Sizes that a short text claims: registers are made where they are used, blocks nest as deep as a call may go.
    const auto declares = [&](int kernels, int n) {
        std::string t = ".version 8.0\n.target sm_80\n.address_size 64\n";
        for (int k = 0; k < kernels; ++k) t += fmt::format(".visible .entry k{}()\n{{\n.reg .b32 %r<{}>;\nmov.u32 %r{}, 1;\nret;\n}}\n", k, n, n - 1);
        return t;
    };
    const auto many = parse_module(declares(2000, 131072));
    ASSERT_EQ(many.kernels.size(), 2000u);
    ASSERT_EQ(many.kernels[1999].registers.size(), 1u);
    EXPECT_EQ(many.kernels[1999].registers[0].name, "%r131071");
    EXPECT_NE(error(declares(1, 131073)).find("line 6: more than 131072 registers"), std::string::npos) << error(declares(1, 131073));
    for (const char* none : {"%r16", "%r00", "%r", "%r4294967296"}) EXPECT_NE(error(kernel(fmt::format("mov.u32 %r0, {};\n", none))), "no error") << none;
    EXPECT_NE(error(kernel(std::string(100000, '{'))).find("blocks nested deeper than 64"), std::string::npos);
    for (const char* at : {"-9223372036854775808", "+9223372036854775807", "+-9223372036854775808"}) EXPECT_NE(error(kernel(fmt::format("ld.param.u64 %d1, [y{}];\n", at))).find("past the end"), std::string::npos) << at;
    // Inline assembly repeats labels and registers in braces.
    EXPECT_EQ(run_block(kernel("mov.u32 %r0, 0;\n{\n.reg .b32 t;\nmov.u32 t, 3;\nbra in;\nin:\nadd.s32 %r0, %r0, t;\n}\n{\n.reg .b32 t;\nmov.u32 t, 4;\nbra in;\nin:\nadd.s32 %r0, %r0, t;\n}\n"), 32).y[0], 7u);
}

// ptxas 13 contracts: what the ensemble must hold.
TEST(PtxContraction, PairsAreFoundAndFused) {
    const auto text = [](const std::string& mul, const std::string& add) {
        return kernel("mov.f32 %f0, 0f3f800001;\nmov.f32 %f1, 0fbf800002;\n" + mul + " %f2, %f0, %f0;\n" + add + " %f3, %f2, %f1;\nmov.b32 %r0, %f3;\n");
    };
    const auto pairs = [&](const std::string& t) { return contractable(parse_module(t).kernels[0]).size(); };
    EXPECT_EQ(pairs(text("mul.f32", "add.f32")), 1u);
    EXPECT_EQ(pairs(text("mul.rn.f32", "add.f32")), 0u);
    EXPECT_EQ(pairs(text("mul.f32", "add.rn.f32")), 0u);
    EXPECT_EQ(pairs(text("mul.f32", "sub.f32")), 1u);
    // (1 + u)^2 - (1 + 2u): the rounded product gives 0, the exact one u^2.
    const auto value = [&](const std::string& t, Fuse f) {
        auto m = parse_module(t);
        m.kernels[0] = contracted(m.kernels[0], f);
        const auto p = decode(m, m.kernels[0]);
        std::uint32_t y = 0;
        auto* at = &y;
        Memory memory;
        memory.add("y", at, 4, true);
        Launch l;
        l.parameters.resize(8);
        std::memcpy(l.parameters.data(), &at, 8);
        run(p, l, memory);
        return y;
    };
    EXPECT_EQ(value(text("mul.f32", "add.f32"), Fuse::none), 0u);
    EXPECT_EQ(value(text("mul.f32", "add.f32"), Fuse::first), 0x28800000u);  // 2^-46
    for (const std::string ftz : {"", "ftz."}) {  // a product less a number, a number less a product
        const auto less = [&](const char* operands) {
            return kernel("mov.f32 %f0, 0f3f800001;\nmov.f32 %f1, 0f3f800002;\nmul." + ftz + "f32 %f2, %f0, %f0;\nsub." + ftz + "f32 %f3, " + operands + ";\nmov.b32 %r0, %f3;\n");
        };
        EXPECT_EQ(value(less("%f2, %f1"), Fuse::none), 0u);
        EXPECT_EQ(value(less("%f2, %f1"), Fuse::first), 0x28800000u);
        EXPECT_EQ(value(less("%f1, %f2"), Fuse::first), 0xa8800000u);
    }
    // Two products: either may be the fused one.
    const std::string two = kernel("mov.f32 %f0, 0f3f800001;\nmov.f32 %f1, 0f3f800001;\nmov.f32 %f4, 0fbf800001;\nmul.f32 %f2, %f0, %f1;\nmul.f32 %f3, %f4, %f1;\nadd.f32 %f5, %f2, %f3;\nmov.b32 %r0, %f5;\n");
    EXPECT_EQ(ensemble(parse_module(two).kernels[0]).size(), 3u);
    EXPECT_EQ(value(two, Fuse::none), 0u);
    EXPECT_EQ(value(two, Fuse::first), 0x28800000u);
    EXPECT_EQ(value(two, Fuse::second), 0xa8800000u);
}

}  // namespace
}  // namespace ulpgate::ptx::testing
