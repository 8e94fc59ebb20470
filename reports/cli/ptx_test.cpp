// Kernels in PTX through the command line: the built-in ones, one written by hand, the faulty ones, and bad input.

#include "reports/cli/process_test.hpp"

namespace ulpgate::cli {
namespace {

using namespace testing_cli;

const std::string faulty = ULPGATE_HOME "/kernels/cuda/faulty/", by_hand = ULPGATE_SOURCE "/impls/cuda/ptx/inputs/warp_norm";

Ran ulpgate(std::vector<std::string> args) {
    const Folder folder;
    return Process(folder, std::move(args)).wait();
}
void expect(const Ran& r, int exit, std::initializer_list<const char*> parts) {
    EXPECT_EQ(r.exit, exit) << r.out << r.err;
    for (const char* part : parts) EXPECT_NE((r.out + r.err).find(part), std::string::npos) << "'" << part << "' in:\n" << r.out << r.err;
}

TEST(Ptx, BuiltInNormsPassForBothArchitecturesAndCudaIsSkipped) {
    expect(ulpgate({"gate", "ptx", "cuda", "--op", "kv_a_layernorm", "--type", "bf16", "--quick"}), 0, {"ptx@sm_80", "ptx@sm_90", "cuda", "SKIPPED", "8 pass"});
    expect(ulpgate({"gate", "ptx", "--arch", "sm_90", "--op", "q_a_layernorm", "--type", "f32", "--quick"}), 0, {"4 pass"});
    expect(ulpgate({"gate", "ptx", "--arch", "sm_70", "--quick"}), 4, {"rmsnorm.sm_70.ptx: No such file"});
}
TEST(Ptx, AKernelWrittenByHand) {
    expect(ulpgate({"gate", by_hand + ".toml", "--op", "kv_a_layernorm", "--quick"}), 0, {"1 pass"});
    expect(ulpgate({"gate", by_hand + ".ptx", "--launch", by_hand + ".toml", "--op", "kv_a_layernorm", "--quick"}), 0, {"1 pass"});
    expect(ulpgate({"gate", by_hand + ".ptx"}), 4, {"give --launch FILE.toml"});
    expect(ulpgate({"gate", "--launch-template", by_hand + ".ptx"}), 0, {"kernel = \"warp_norm\""});
    expect(ulpgate({"gate", "--launch-template", by_hand + ".toml"}), 2, {"neither PTX text"});
    const auto swapped = ulpgate({"gate", by_hand + ".toml", "--contract", "f32_gain", "--op", "kv_a_layernorm", "--quick"});
    expect(swapped, 1, {"is not f32_gain", "it computes", "replay"});
}
// What is wrong with a PTX file or its launch is said, is exit 4, and the subject beside it is judged all the same.
struct Bad {
    const char *what, *from, *to;
    bool launch;  // the change is in the launch description
    std::initializer_list<const char*> said;
};
TEST(Ptx, BadInputIsToldAndTheOthersAreJudged) {
    const Bad all[] = {
        {"an unknown opcode", "rcp.rn.f32 %f0", "tanh.rn.f32 %f0", false, {"line 69", "opcode 'tanh.rn.f32' is not known to the executor"}},
        {"a newer version", ".version 8.0", ".version 11.0", false, {"line 2", "PTX version 11.0 is newer than"}},
        {"truncated", "written:\n    ret;\n}\n", "", false, {"line 9", "cut off"}},
        {"no PTX inside a library", "", "", false, {"holds no PTX"}},
        {"too much shared memory", "block = 32", "block = 32\nshared = 400000", true, {"400000 bytes of shared memory a block: at most"}},
        {"a parameter of another size", "[\"i32\", \"d\"]", "[\"i64\", \"d\"]", true, {"bad.toml:8", "parameter d (4 bytes at 40) is given no value, or one of another size"}},
        {"a parameter too many", "[\"f32\", \"eps\"]", "[\"f32\", \"eps\"], [\"i32\", \"d\"]", true, {"params take 52 bytes, the kernel has 48"}},
        {"an access out of bounds", "st.global.u16 [%a], %h0", "st.global.u16 [%a+65536], %h0", false, {"line 88", "block (0,0,0) thread (", "writes 2 bytes", "st.global.u16"}},
        {"a deadlock", "mov.f32 %f0, 0f00000000;", "mov.f32 %f0, 0f00000000;\nbar.sync 0, 64;", false, {"line 31", "thread (0,0,0)", "deadlock: barrier 0 waits for 64 threads, 32 have come"}},
        {"an endless loop", "add.s32 %r3, %r3, 32;\n    bra sum;", "bra sum;", false, {"thread (0,0,0)", "an endless loop?"}},
    };
    for (const auto& b : all) {
        SCOPED_TRACE(b.what);
        const Folder folder;
        auto ptx = slurp(by_hand + ".ptx"), toml = slurp(by_hand + ".toml");
        auto& changed = b.launch ? toml : ptx;
        const auto at = changed.find(b.from);
        ASSERT_NE(at, std::string::npos);
        changed.replace(at, std::string(b.from).size(), b.to);
        if (!*b.from) ptx = std::string("\177ELF\2\1\1\0", 8) + std::string(200, '\0');
        toml.replace(toml.find("warp_norm.ptx"), 13, "bad.ptx");
        folder.write("bad.ptx", ptx);
        folder.write("bad.toml", toml);
        const auto r = Process(folder, {"gate", "bad.toml", by_hand + ".toml", "--op", "kv_a_layernorm", "--quick"}).wait();
        expect(r, 4, b.said);
        expect(r, 4, {"1 pass"});
    }
}
TEST(Ptx, TheKernelThatTheFaultyOnesChangeIsRight) { expect(ulpgate({"gate", faulty + "right.toml", "--op", "kv_a_layernorm"}), 0, {"1 pass"}); }
TEST(Ptx, ADroppedPartialWarpIsALaneTail) {
    expect(ulpgate({"gate", faulty + "dropped_partial_warp.toml", "--op", "q_a_layernorm", "--d", "769"}), 1, {"lane.tail", "FROM 768"});
}
TEST(Ptx, AMissingBarrierIsARace) {
    expect(ulpgate({"gate", faulty + "missing_barrier.toml", faulty + "right.toml", "--op", "kv_a_layernorm", "--quick"}), 4, {"missing_barrier.ptx: line ", "race: ", "no barrier between", "1 crashed, 1 pass"});
}
TEST(Ptx, AWrongMemberMaskIsTold) {
    expect(ulpgate({"gate", faulty + "wrong_member_mask.toml", "--op", "kv_a_layernorm", "--quick"}), 4, {"wrong member mask: 0xffff does not name lane 16", "thread (16,0,0)"});
}
TEST(Ptx, ABlockThatDependsOnTheBatchBreaksItsClaim) {
    expect(ulpgate({"gate", faulty + "batch_dependent_block.toml", "--op", "q_a_layernorm"}), 1, {"bits depend on the batch: 255 rows of 300 alone give others", "holds=batch", "UNSTABLE"});
}
TEST(Ptx, AVectorLoadAtAnyAddressIsTold) {
    expect(ulpgate({"gate", faulty + "unaligned_vector_load.toml", "--op", "kv_a_layernorm"}), 4, {"the address of 16 bytes is no multiple of 16", "ld.global.v4"});
}
TEST(Ptx, AnOffsetIn32BitsIsTold) {
    expect(ulpgate({"gate", faulty + "offset_in_32_bits.toml", "--op", "kv_a_layernorm", "--quick"}), 4, {"computed in 32 bits", "block (2,0,0)", "reads 2 bytes at 4294967296 bytes before x"});
}
TEST(Ptx, AFastMathBuildIsNamedAndFailsForEveryMember) {
    expect(ulpgate({"gate", faulty + "fast_math.toml", "--op", "kv_a_layernorm"}), 1, {"flushes subnormals to zero (.ftz", "a fast-math build", "div.approx.ftz.f32 at line", "approx=low", "approx=high", "3 inadmissible"});
}

}  // namespace
}  // namespace ulpgate::cli
