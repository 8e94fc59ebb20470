// mbarrier: a producer and a consumer, phases and their parity, copies that arrive, and what is wrong.
#include <fmt/format.h>

#include "impls/cuda/ptx/block_test.hpp"

namespace ulpgate::ptx::testing {
namespace {

const std::string shared = ".shared .align 16 .b8 s[512];\n.shared .align 8 .b8 bar[16];";
// Thread 0 makes a barrier of `count` arrivals; %r4 the thread, %r3 its word of s.
std::string setup(int count) {
    return fmt::format("mov.u32 %r4, %tid.x;\nsetp.ne.u32 %p0, %r4, 0;\n@%p0 bra made;\nmbarrier.init.shared.b64 [bar], {};\nmade: bar.sync 0;\nshl.b32 %r2, %r4, 2;\nmov.u32 %r3, s;\nadd.s32 %r3, %r3, %r2;\n", count);
}

// One warp writes and arrives; the other waits and reads what that one wrote, whichever of them runs first.
TEST(PtxMbarrier, AConsumerWaitsForItsProducer) {
    for (const std::uint32_t consumer : {0u, 1u}) {
        const std::string body = setup(32) +
                                 fmt::format("shr.u32 %r5, %r4, 5;\nsetp.eq.u32 %p1, %r5, {};\n@%p1 bra consumer;\nadd.s32 %r0, %r4, 100;\nst.shared.u32 [%r3], %r0;\nmbarrier.arrive.shared.b64 %d3, [bar];\nbra end;\n"
                                             "consumer: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra consumer;\nld.shared.u32 %r0, [%r3{:+}];\nend:\n", consumer, consumer ? -128 : 128);
        const auto r = run_block(kernel(body, shared), 64);
        ASSERT_EQ(r.error, "") << consumer;
        for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.y[32 * consumer + l], 100 + 32 * (1 - consumer) + l);
    }
}
TEST(PtxMbarrier, PhasesHaveStatesAndParities) {
    // Before the first phase has ended: parity 1 has, parity 0 has not. After it: the other way round, and the state of then is over.
    const std::string body = setup(32) +
                             "mov.u32 %r0, 0;\nmbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;\n@%p1 add.s32 %r0, %r0, 1;\nmbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n@%p1 add.s32 %r0, %r0, 2;\n"
                             "mbarrier.arrive.shared.b64 %d3, [bar];\nmbarrier.test_wait.shared.b64 %p1, [bar], %d3;\n@%p1 add.s32 %r0, %r0, 4;\nmbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n@%p1 add.s32 %r0, %r0, 8;\n"
                             "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;\n@%p1 add.s32 %r0, %r0, 16;\n";
    const auto r = run_block(kernel(body, shared), 32);
    ASSERT_EQ(r.error, "");
    for (const auto y : r.y) EXPECT_EQ(y, 1u + 4 + 8);
}
TEST(PtxMbarrier, EveryPhaseExpectsAsManyArrivals) {
    const std::string half = "@%p1 mbarrier.arrive.shared.b64 %d3, [bar];\n", ended = "mbarrier.test_wait.parity.shared.b64 %p2, [bar], {};\n@%p2 add.s32 %r0, %r0, {};\n";
    std::string body = setup(16) + "setp.lt.u32 %p1, %r4, 15;\nsetp.eq.u32 %p3, %r4, 15;\nmov.u32 %r0, 0;\n";
    for (int phase = 0; phase < 3; ++phase)
        body += half + fmt::format(fmt::runtime(ended), phase % 2, 1 << 2 * phase) + "@%p3 mbarrier.arrive.shared.b64 %d3, [bar];\n" + fmt::format(fmt::runtime(ended), phase % 2, 2 << 2 * phase);
    const auto r = run_block(kernel(body, shared), 32);
    ASSERT_EQ(r.error, "");
    for (const auto y : r.y) EXPECT_EQ(y, 2u + 8 + 32);
}
TEST(PtxMbarrier, SeveralArrivalsAtOnce) {
    const std::string body = setup(64) + "mbarrier.arrive.shared.b64 %d3, [bar], 2;\nmov.u32 %r0, 0;\nmbarrier.test_wait.shared.b64 %p1, [bar], %d3;\n@%p1 mov.u32 %r0, 1;\n";
    const auto r = run_block(kernel(body, shared), 32);
    ASSERT_EQ(r.error, "");
    for (const auto y : r.y) EXPECT_EQ(y, 1u);
}
// Copies arrive by themselves where the barrier expects them (noinc); otherwise the thread arrives too.
TEST(PtxMbarrier, CopiesArriveWhenTheyAreDone) {
    for (const auto& [arrive, expected] : {std::pair{"cp.async.mbarrier.arrive.noinc.shared.b64", true}, {"cp.async.mbarrier.arrive.noinc.shared::cta.b64", true},
                                           {"cp.async.mbarrier.arrive.shared.b64", false}, {"cp.async.mbarrier.arrive.shared::cta.b64", false}})
        for (const bool also : {false, true}) {
            const std::string body = setup(32) +
                                     "add.s32 %r5, %r4, 500;\nld.param.u64 %d4, [y];\nmul.wide.u32 %d5, %r4, 4;\nadd.s64 %d4, %d4, %d5;\nst.global.u32 [%d4], %r5;\ncp.async.ca.shared.global [%r3], [%d4], 4;\n" +
                                     arrive + " [bar];\n" + (also && !expected ? "mbarrier.arrive.shared.b64 %d3, [bar];\n" : "") +
                                     "ld.shared.u32 %r0, [%r3];\nmbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n@%p1 add.s32 %r0, %r0, 1000;\n";
            const auto r = run_block(kernel(body, shared), 32);
            ASSERT_EQ(r.error, "") << arrive;
            for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.y[l], 500 + l + (expected || also ? 1000 : 0)) << arrive;
        }
}
TEST(PtxMbarrier, WhatIsWrongIsTold) {
    expect_error(kernel("mbarrier.arrive.shared.b64 %d3, [bar];\nmov.u32 %r0, 0;\n", shared), 32, {"no mbarrier at byte", "mbarrier.init has not been there"});
    expect_error(kernel(setup(0) + "mov.u32 %r0, 0;\n", shared), 32, {"an mbarrier of 0 arrivals"});
    expect_error(kernel(setup(1) + "mbarrier.arrive.shared.b64 %d3, [bar], 5;\nmov.u32 %r0, 0;\n", shared), 1, {"5 arrivals at an mbarrier whose phase waits for 1"});
    expect_error(kernel(setup(1) + "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 2;\nmov.u32 %r0, 0;\n", shared), 1, {"a parity of 2"});
    expect_error(kernel(setup(33) + "mbarrier.arrive.shared.b64 %d3, [bar];\nagain: mbarrier.try_wait.shared.b64 %p1, [bar], %d3;\n@!%p1 bra again;\nmov.u32 %r0, 0;\n", shared), 32, {"an endless loop?"});
    expect_error(kernel(setup(1) + "mbarrier.inval.shared.b64 [bar];\nmbarrier.arrive.shared.b64 %d3, [bar];\nmov.u32 %r0, 0;\n", shared), 1, {"no mbarrier at byte"});
    expect_error(kernel(setup(1) + "mbarrier.init.shared.b64 [bar], 1;\nmov.u32 %r0, 0;\n", shared), 1, {"already"});
}

}  // namespace
}  // namespace ulpgate::ptx::testing
