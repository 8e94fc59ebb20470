// Shared places of registers: they are shared, and nothing shows it.
#include "impls/cuda/ptx/block_test.hpp"
#include "impls/cuda/ptx/registers.hpp"

namespace ulpgate::ptx::testing {
namespace {

TEST(PtxRegisters, OneBlockSharesPlaces) {
    std::string chain = ".reg .b32 %t<100>;\nmov.u32 %t0, %tid.x;\n";
    for (int k = 1; k < 100; ++k) chain += "add.s32 %t" + std::to_string(k) + ", %t" + std::to_string(k - 1) + ", 1;\n";
    const auto text = kernel(chain + "mov.u32 %r0, %t99;\n");
    const auto r = run_block(text, 32);
    ASSERT_EQ(r.error, "");
    for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.y[l], l + 99);
    const auto m = parse_module(text);
    const auto p = place_registers(m.kernels[0]);
    std::set<std::int32_t> places;
    for (std::size_t k = 0; k < p.at.size(); ++k)
        if (m.kernels[0].registers[k].name.starts_with("%t")) places.insert(p.at[k]);
    EXPECT_EQ(places.size(), 2u);  // one being read, one being written
}
TEST(PtxRegisters, AWideResultDoesNotLieOnItsOperands) {
    const auto r = run_block(kernel(".reg .b32 %a, %b;\n.reg .b64 %wide;\nmov.u32 %a, %tid.x;\nadd.s32 %b, %a, 1;\nmul.wide.u32 %wide, %a, %b;\ncvt.u32.u64 %r0, %wide;\n"), 32);
    ASSERT_EQ(r.error, "");
    for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(r.y[l], l * (l + 1));
}
// What is read before it is written, or written only under a guard, holds its poison and no other register's value.
TEST(PtxRegisters, PoisonStays) {
    const std::string other = ".reg .b32 %t<9>;\nmov.u32 %t0, 7;\nadd.s32 %t1, %t0, 1;\n";
    for (const std::string& read : {std::string("mov.u32 %r0, %t5;\n"), std::string("setp.eq.u32 %p0, 0, 1;\n@%p0 mov.u32 %t5, 3;\nmov.u32 %r0, %t5;\n"), std::string("add.s32 %t5, %t5, 0;\nmov.u32 %r0, %t5;\n")}) {
        const auto r = run_block(kernel(other + read), 32);
        ASSERT_EQ(r.error, "");
        for (const auto v : r.y) EXPECT_EQ(v, 0xffffffffu) << read;
    }
}
// A value that lives from one block into another, round a loop, is not overwritten by what is local to the loop's block.
// What a loop reads at its head is not free after its last line: the next round reads it again.
TEST(PtxRegisters, ALoopKeepsWhatItReads) {
    const auto r = run_block(kernel("mov.u32 %r1, 5;\nmov.u32 %r0, 0;\nmov.u32 %r4, 0;\nagain:\nadd.s32 %r0, %r0, %r1;\nmov.u32 %r2, 1000;\nadd.s32 %r4, %r4, 1;\n"
                                    "xor.b32 %r3, %r2, %r2;\nadd.s32 %r0, %r0, %r3;\nsetp.lt.u32 %p0, %r4, 3;\n@%p0 bra again;\n"), 32);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.y, std::vector<std::uint32_t>(32, 15));
}
TEST(PtxRegisters, ValuesLiveAcrossBlocks) {
    const auto r = run_block(kernel(".reg .b32 %t<9>;\nmov.u32 %t0, 5;\nmov.u32 %r1, 0;\nmov.u32 %r0, 0;\nagain:\nadd.s32 %t1, %r1, 1;\nadd.s32 %t2, %t1, 100;\nsub.s32 %t3, %t2, 100;\nmov.u32 %r1, %t3;\n"
                                    "add.s32 %r0, %r0, %t0;\nsetp.lt.u32 %p0, %r1, 4;\n@%p0 bra again;\n"),
                             32);
    ASSERT_EQ(r.error, "");
    for (const auto v : r.y) EXPECT_EQ(v, 20u);
}

}  // namespace
}  // namespace ulpgate::ptx::testing
