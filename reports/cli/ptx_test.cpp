// Kernels in PTX through the command line: the built-in ones, one written by hand, the faulty ones, and bad input.
#include <filesystem>
#include <set>

#include "reference/base/text.hpp"
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
    expect(ulpgate({"gate", "ptx", "--op", "kv_a_layernorm", "--type", "bf16", "--quick"}), 0, {"ptx@sm_80", "ptx@sm_90", "cuda", "SKIPPED", "8 pass", "1 skipped"});
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
// reports/cuda_faults.md: | `kernel` | fault | `arguments` | exit | `said` · `said` |
struct Fault {
    std::string kernel, exit;
    std::vector<std::string> arguments, said;
};
std::vector<std::string> quoted(std::string_view cell) {
    std::vector<std::string> out;
    const auto parts = split(cell, '`');
    for (std::size_t k = 1; k < parts.size(); k += 2) out.emplace_back(parts[k]);
    return out;
}
std::vector<Fault> faults() {
    std::vector<Fault> out;
    const auto page = slurp(ULPGATE_SOURCE "/reports/cuda_faults.md");
    for (const auto line : split(page, '\n')) {
        const auto cells = split(line, '|');
        if (!line.starts_with("| `") || cells.size() != 7) continue;
        Fault f{quoted(cells[1]).at(0), std::string(cells[4].substr(1, 1)), {}, quoted(cells[5])};
        const auto arguments = quoted(cells[3]).at(0);
        for (const auto word : split(arguments, ' ')) f.arguments.emplace_back(word);
        out.push_back(std::move(f));
    }
    return out;
}
class FaultyKernel : public ::testing::TestWithParam<Fault> {};
TEST_P(FaultyKernel, IsFoundAndNamed) {
    const Fault& f = GetParam();
    std::vector<std::string> args{"gate", faulty + f.kernel + ".toml"};
    args.insert(args.end(), f.arguments.begin(), f.arguments.end());
    const auto r = ulpgate(args);
    EXPECT_EQ(std::to_string(r.exit), f.exit) << r.both();
    for (const auto& part : f.said) EXPECT_NE(r.both().find(part), std::string::npos) << "'" << part << "' in:\n" << r.both();
}
INSTANTIATE_TEST_SUITE_P(Ptx, FaultyKernel, ::testing::ValuesIn(faults()), [](const auto& i) { return i.param.kernel; });
TEST(Ptx, EveryFaultyKernelStandsInTheTable) {
    std::set<std::string> files, rows;
    for (const auto& e : std::filesystem::directory_iterator(ULPGATE_SOURCE "/impls/cuda/faulty"))
        if (e.path().extension() == ".cu") files.insert(e.path().stem().string());
    for (const auto& f : faults()) rows.insert(f.kernel);
    EXPECT_EQ(files, rows);
    EXPECT_GT(rows.size(), 7u);
}
TEST(Ptx, ATraceSaysWhatRanByLine) {
    const Folder f;
    const std::vector<std::string> args{"replay", by_hand + ".toml", "kv_a_layernorm/bf16/512/fill=0x1p+0/rows=1", "--child-env", "ULPGATE_PTX_TRACE=" + (f / "trace.txt")};
    const auto r = Process(f, args).wait();
    expect(r, 0, {"pass"});
    const auto trace = slurp(f / "trace.txt");
    for (const char* line : {"kernel warp_norm grid 1x1x1 block 32x1x1\n", "block 0,0,0 warp 0 lanes ffffffff line ", "line 69: rcp.rn.f32 %f0"}) EXPECT_NE(trace.find(line), std::string::npos) << line << trace.substr(0, 500);
    const auto nowhere = Process(f, {"replay", by_hand + ".toml", "kv_a_layernorm/bf16/512/fill=0x1p+0/rows=1", "--child-env", "ULPGATE_PTX_TRACE=/nowhere/t"}).wait();
    expect(nowhere, 4, {"ULPGATE_PTX_TRACE: /nowhere/t: No such file"});
}
TEST(Ptx, OneFaultKeepsNoOtherFromBeingJudged) {
    expect(ulpgate({"gate", faulty + "missing_barrier.toml", faulty + "right.toml", "--op", "kv_a_layernorm", "--quick"}), 4, {"race: ", "1 crashed, 1 pass"});
}

}  // namespace
}  // namespace ulpgate::cli
