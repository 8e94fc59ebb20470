// cp.async: what arrives, when, and what is wrong with reading early, writing late or waiting for too little.
#include <fmt/format.h>

#include "impls/cuda/ptx/block_test.hpp"

namespace ulpgate::ptx::testing {
namespace {

// y holds four words a lane of a warp: what lanes copy from. The kernel of block_test.hpp writes y at its end, so the body reads
// y's first 128 words from `source`, a second tensor.
struct Source {
    alignas(16) std::uint32_t word[128];
    Source() {
        for (std::uint32_t k = 0; k < 128; ++k) word[k] = 100 + k;
    }
};
// Registers: %r2 the lane's 16 bytes of shared memory, %d2 of the source, %r4 the lane.
const std::string addresses = "mov.u32 %r4, %tid.x;\nmov.u32 %r3, s;\nshl.b32 %r2, %r4, 4;\nadd.s32 %r2, %r2, %r3;\nld.param.u64 %d2, [x];\nmul.wide.u32 %d3, %r4, 16;\nadd.s64 %d2, %d2, %d3;\n";

Ran run_copy(const std::string& body, std::uint32_t threads = 32) {
    Ran r;
    r.y.assign(threads, 0);
    const Source source;
    auto text = kernel(addresses + body, ".shared .align 16 .b8 s[1024];");
    text.replace(text.find(".param .u64 y"), 13, ".param .u64 y, .param .u64 x");
    try {
        const auto module = parse_module(text);
        const auto program = decode(module, module.kernels.at(0));
        Memory memory;
        Launch launch;
        launch.block.x = threads;
        launch.budget = 100000;
        launch.parameters.resize(16);
        const void* pointers[] = {r.y.data(), source.word};
        std::memcpy(launch.parameters.data(), pointers, 16);
        memory.add("y", r.y.data(), 4 * threads, true);
        memory.add("x", const_cast<std::uint32_t*>(source.word), sizeof source.word, false);
        run(program, launch, memory);
    } catch (const Error& e) {
        r.error = e.what();
    }
    return r;
}
void expect_wrong(const std::string& body, std::initializer_list<const char*> parts, std::uint32_t threads = 32) {
    const auto r = run_copy(body, threads);
    for (const char* part : parts) EXPECT_NE(r.error.find(part), std::string::npos) << "'" << part << "' in: " << (r.error.empty() ? "no error" : r.error);
}

TEST(PtxAsyncCopy, ArrivesAtItsWait) {
    for (const char* hint : {"", ".L2::64B", ".L2::128B", ".L2::256B"}) {
        const auto r = run_copy(fmt::format("cp.async.cg.shared.global{} [%r2], [%d2], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.u32 %r0, [%r2+8];\n", hint));
        ASSERT_EQ(r.error, "");
        for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.y[l], 100 + 4 * l + 2);
    }
    // 4 and 8 bytes, offsets on both addresses, and wait_all, which needs no commit.
    const auto part = run_copy("cp.async.ca.shared.global [%r2+4], [%d2+12], 4;\ncp.async.ca.shared.global [%r2+8], [%d2+0], 8;\ncp.async.wait_all;\nld.shared.u32 %r5, [%r2+4];\nld.shared.u32 %r6, [%r2+12];\nmul.lo.s32 %r6, %r6, 1000;\nadd.s32 %r0, %r5, %r6;\n");
    ASSERT_EQ(part.error, "");
    for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(part.y[l], 100 + 4 * l + 3 + 1000 * (100 + 4 * l + 1));
}
TEST(PtxAsyncCopy, WhatTheSourceDoesNotGiveIsZero) {
    for (const int given : {0, 4, 8, 12, 16}) {
        for (int word = 0; word < 4; ++word) {
            const auto r = run_copy(fmt::format("mov.u32 %r5, {};\ncp.async.cg.shared.global [%r2], [%d2], 16, %r5;\ncp.async.wait_all;\nld.shared.u32 %r0, [%r2+{}];\n", given, 4 * word));
            ASSERT_EQ(r.error, "");
            for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.y[l], 4 * word < given ? 100 + 4 * l + static_cast<std::uint32_t>(word) : 0u);
        }
    }
    // Bytes that are not read may lie anywhere: none of an address outside of every tensor, 4 of 16 at the end of one.
    EXPECT_EQ(run_copy("add.s64 %d2, %d2, 4096;\ncp.async.cg.shared.global [%r2], [%d2], 16, 0;\ncp.async.wait_all;\nld.shared.u32 %r0, [%r2];\n").error, "");
    expect_wrong("add.s64 %d2, %d2, 16;\ncp.async.cg.shared.global [%r2], [%d2], 16, 4;\n", {"line 19", "thread (31,0,0)", "reads 4 bytes at byte 512 of x, which has 512 bytes"});
}
TEST(PtxAsyncCopy, GroupsEndInTheirOrder) {
    const std::string two = "cp.async.cg.shared.global [%r2], [%d2], 16;\ncp.async.commit_group;\ncp.async.cg.shared.global [%r2+512], [%d2], 16;\ncp.async.commit_group;\n";
    EXPECT_EQ(run_copy(two + "cp.async.wait_group 1;\nld.shared.u32 %r0, [%r2];\ncp.async.wait_group 0;\n").error, "");
    expect_wrong(two + "cp.async.wait_group 1;\nld.shared.u32 %r0, [%r2+512];\n", {"line 23", "reads shared byte 512, to which thread 0 copies at line 20: the copy has not been waited for"});
    // A copy that no commit took into a group is in flight after every wait_group.
    expect_wrong("cp.async.cg.shared.global [%r2], [%d2], 16;\ncp.async.wait_group 0;\nld.shared.u32 %r0, [%r2];\n", {"line 20", "reads shared byte 0, to which thread 0 copies at line 18"});
}
TEST(PtxAsyncCopy, BytesInFlightAreNobodys) {
    const std::string copy = "cp.async.cg.shared.global [%r2], [%d2], 16;\n";
    expect_wrong(copy + "ld.shared.u32 %r0, [%r2];\n", {"line 19", "reads shared byte 0, to which thread 0 copies at line 18: the copy has not been waited for"});
    expect_wrong(copy + "st.shared.u32 [%r2], %r4;\n", {"line 19", "writes shared byte 0, to which thread 0 copies at line 18"});
    expect_wrong(copy + copy, {"line 19", "copies to shared byte 0, to which thread 0 copies at line 18"});
}
TEST(PtxAsyncCopy, IsARaceWithoutABarrier) {
    const std::string copied = "cp.async.cg.shared.global [%r2], [%d2], 16;\ncp.async.wait_all;\n", other = "xor.b32 %r2, %r2, 16;\n", read = "ld.shared.u32 %r0, [%r2];\n";
    // A wait is for the own copies only.
    expect_wrong(copied + other + read, {"race: reads shared byte 16, which thread 1 writes at line 18 with no barrier between"});
    EXPECT_EQ(run_copy(copied + "bar.sync 0;\n" + other + read).error, "");
    // Over bytes that others still read: the next stage of a pipeline.
    expect_wrong(copied + "bar.sync 0;\n" + other + read + other + copied, {"race: writes shared byte 0, which thread 1 reads at line 22 with no barrier between"});
    EXPECT_EQ(run_copy(copied + "bar.sync 0;\n" + other + read + other + "bar.sync 0;\n" + copied).error, "");
}
TEST(PtxAsyncCopy, AddressesAndSizes) {
    expect_wrong("add.s32 %r2, %r2, 8;\ncp.async.cg.shared.global [%r2], [%d2], 16;\n", {"line 19", "no multiple of 16"});
    expect_wrong("cp.async.cg.shared.global [%r2], [%d2+4], 16;\n", {"line 18", "no multiple of 16"});
    expect_wrong("cp.async.cg.shared.global [%r2+1024], [%d2], 16;\n", {"line 18", "16 bytes at byte 1024 of shared memory, of which the launch gives 1024"});
    expect_wrong("cp.async.cg.shared.global [%r2], [%d2], 8;\n", {"copies 8 bytes: .ca copies 4, 8 or 16, .cg 16"});
    expect_wrong("cp.async.ca.shared.global [%r2], [%d2], 4, 8;\n", {"is to read 8 bytes and to write 4"});
    expect_wrong("cp.async.cg.shared.global [%r2], [%d2+512], 16;\n", {"reads 16 bytes at byte 512 of x"});
}

}  // namespace
}  // namespace ulpgate::ptx::testing
