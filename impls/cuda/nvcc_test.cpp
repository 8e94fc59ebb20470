// What needs nvcc: the checked-in PTX is what it emits, and its SASS holds no arithmetic that the PTX does not.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "impls/cuda/launch/images.hpp"
#include "impls/cuda/ptx/module.hpp"

namespace ulpgate {
namespace {

std::string file(const std::string& path) {
    std::ifstream f(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(f), {}};
}
const std::string built = ULPGATE_HOME "/kernels/cuda/", sources = ULPGATE_SOURCE "/impls/cuda/";

#define NEEDS_NVCC \
    if (!*ULPGATE_NVCC) GTEST_SKIP() << ULPGATE_CUDA_MISSING

std::string compiler_line(const std::string& ptx) {
    const auto at = ptx.find("Cuda compilation tools");
    return at == ptx.npos ? "" : ptx.substr(at, ptx.find('\n', at) - at);
}

TEST(Nvcc, TheCheckedInPtxIsWhatItEmits) {
    NEEDS_NVCC;
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string name : {"rmsnorm", "query", "probe"})
        for (const std::string arch : {".sm_80.ptx", ".sm_90.ptx"}) pairs.emplace_back(built + name + arch, sources + name + "/emitted/" + name + arch);
    for (const std::string folder : {"faulty", "query_faulty"})
        for (const auto& e : std::filesystem::directory_iterator(sources + folder + "/emitted")) pairs.emplace_back(built + folder + "/" + e.path().filename().string(), e.path().string());
    if (compiler_line(file(pairs[0].first)) != compiler_line(file(pairs[0].second)))
        GTEST_SKIP() << "nvcc here: " << compiler_line(file(pairs[0].first)) << "; the checked-in PTX is of " << compiler_line(file(pairs[0].second));
    for (const auto& [made, kept] : pairs) EXPECT_EQ(file(made), file(kept)) << kept << ": run impls/cuda/emit.sh";
}

// Instruction classes by the low 9 bits of each 16-byte SASS instruction.
enum Class { fmul, fadd, ffma, mufu, hmma, classes };
using Census = std::array<int, classes>;

// .text.KERNEL sections of a cubin.
std::map<std::string, Census> sass(const std::string& cubin) {
    const auto at = [&](std::size_t offset, auto& v) { std::memcpy(&v, cubin.data() + offset, sizeof v); };
    std::map<std::string, Census> out;
    std::uint64_t table = 0;
    std::uint16_t count = 0, names = 0;
    at(40, table), at(60, count), at(62, names);
    struct Section {
        std::uint32_t name, type;
        std::uint64_t flags, address, offset, size, rest[3];
    };
    const auto section = [&](std::size_t k) {
        Section s;
        at(table + 64 * k, s);
        return s;
    };
    const auto strings = section(names);
    for (std::size_t k = 0; k < count; ++k) {
        const auto s = section(k);
        const std::string name = cubin.data() + strings.offset + s.name;
        if (!name.starts_with(".text.")) continue;
        auto& c = out[name.substr(6)];
        for (std::uint64_t o = 0; o < s.size; o += 16) {
            std::uint64_t w = 0;
            at(s.offset + o, w);
            switch (w & 0x1ff) {
            case 0x020: ++c[fmul]; break;
            case 0x021: ++c[fadd]; break;
            case 0x023: ++c[ffma]; break;
            case 0x108: ++c[mufu]; break;
            case 0x03c: ++c[hmma]; break;
            }
        }
    }
    return out;
}

struct Expanded {  // opcodes that become a sequence
    int div = 0, sqrt = 0, rcp = 0;
    auto operator<=>(const Expanded&) const = default;
};
// Census of a kernel that holds only these: what the assembler makes of them, measured.
Census expansion(const std::string& arch, const Expanded& e) {
    char dir[] = "/tmp/ulpgate_nvcc_XXXXXX";
    const std::string folder = mkdtemp(dir);
    std::string ptx = ".version 9.0\n.target " + arch + "\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .f32 a, b, c;\n.reg .b64 p1;\nld.param.u64 p1, [p];\n";
    const auto step = [&](int n, const std::string& what) {
        for (int k = 0; k < n; ++k) ptx += "ld.volatile.global.f32 a, [p1];\nld.volatile.global.f32 b, [p1+4];\n" + what + "\nst.volatile.global.f32 [p1], c;\n";
    };
    step(e.div, "div.rn.f32 c, a, b;");
    step(e.sqrt, "sqrt.rn.f32 c, a;");
    step(e.rcp, "rcp.rn.f32 c, a;");
    std::ofstream(folder + "/k.ptx") << ptx << "ret;\n}\n";
    const int rc = std::system((std::string("'") + ULPGATE_NVCC + "' -cubin -arch=" + arch + " -o " + folder + "/k.cubin " + folder + "/k.ptx").c_str());
    const auto c = rc ? std::map<std::string, Census>{} : sass(file(folder + "/k.cubin"));
    std::filesystem::remove_all(folder);
    EXPECT_EQ(c.size(), 1u) << ptx;
    return c.empty() ? Census{} : c.begin()->second;
}

// What the assembler makes of a kernel that it contracts nothing of.
Census uncontracted(const std::string& arch, const ptx::KernelText& k) {
    static std::map<std::pair<std::string, Expanded>, Census> expansions;
    Census right{};
    Expanded e;
    for (const auto& s : k.statements) {
        right[fmul] += s.opcode == "mul.rn.f32";
        right[fadd] += s.opcode == "add.rn.f32";
        right[ffma] += s.opcode == "fma.rn.f32";
        right[hmma] += s.opcode.starts_with("mma.sync");
        e.div += s.opcode == "div.rn.f32";
        e.sqrt += s.opcode == "sqrt.rn.f32";
        e.rcp += s.opcode == "rcp.rn.f32";
    }
    if (e == Expanded{}) return right;
    const auto [at, fresh] = expansions.try_emplace({arch, e});
    if (fresh) at->second = expansion(arch, e);
    for (std::size_t c = 0; c < classes; ++c) right[c] += at->second[c];
    return right;
}

class Sass : public ::testing::TestWithParam<const char*> {};

// No FFMA that the PTX does not name: a contraction would add one and take an FMUL and an FADD away. A loop that the assembler
// peels repeats additions of the shuffles, never products: FADD is exact where a block takes a row.
TEST_P(Sass, HoldsTheArithmeticOfThePtx) {
    NEEDS_NVCC;
    const std::string arch = GetParam();
    const auto module = ptx::parse_module(launch::ptx_image(built + "rmsnorm." + arch + ".ptx", arch).ptx);
    const auto kernels = sass(file(built + "rmsnorm." + arch + ".cubin"));
    ASSERT_EQ(kernels.size(), module.kernels.size());
    for (const auto& k : module.kernels) {
        const Census right = uncontracted(arch, k);
        const auto& got = kernels.at(k.name);
        for (const auto c : {fmul, ffma, mufu}) EXPECT_EQ(got[c], right[c]) << k.name << " class " << c;
        if (k.name.starts_with("block_")) EXPECT_EQ(got[fadd], right[fadd]) << k.name;
        else EXPECT_GE(got[fadd], right[fadd]) << k.name;
    }
}
// The kernels of the query path. MUFU is not counted: indices are divided through it. A norm in a projection sums in a loop that the assembler peels.
TEST_P(Sass, HoldsTheTensorCoreStepsOfThePtx) {
    NEEDS_NVCC;
    const std::string arch = GetParam();
    const auto module = ptx::parse_module(launch::ptx_image(built + "query." + arch + ".ptx", arch).ptx);
    const auto kernels = sass(file(built + "query." + arch + ".cubin"));
    ASSERT_EQ(kernels.size(), module.kernels.size());
    int steps = 0;
    for (const auto& k : module.kernels) {
        const Census right = uncontracted(arch, k);
        const auto& got = kernels.at(k.name);
        for (const auto c : {fmul, ffma, hmma}) EXPECT_EQ(got[c], right[c]) << k.name << " class " << c;
        if (k.name.find("_normed_") == k.name.npos) EXPECT_EQ(got[fadd], right[fadd]) << k.name;
        else EXPECT_GE(got[fadd], right[fadd]) << k.name;
        steps += right[hmma];
    }
    EXPECT_EQ(steps, 68);
}
INSTANTIATE_TEST_SUITE_P(Nvcc, Sass, ::testing::Values("sm_80", "sm_90"), [](const auto& i) { return i.param; });

// PTX inside a fat binary, as every mode of compression leaves it.
TEST(Nvcc, PtxIsReadOutOfALibrary) {
    NEEDS_NVCC;
    char dir[] = "/tmp/ulpgate_nvcc_XXXXXX";
    const std::string folder = mkdtemp(dir), nvcc = std::string("'") + ULPGATE_NVCC + "' -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=[compute_90,sm_90] -std=c++17 ";
    const std::string right = file(sources + "faulty/emitted/right.ptx");
    for (const std::string how : {"-no-compress", "-Xfatbin=-compress-all", "-Xfatbin=-compress-mode=size -Xfatbin=-compress-all"}) {
        const auto out = folder + "/k.fatbin";
        ASSERT_EQ(std::system((nvcc + how + " -fatbin -o " + out + " " + sources + "faulty/right.cu 2>" + folder + "/err").c_str()), 0) << how << file(folder + "/err");
        try {
            const auto image = launch::ptx_image(out, "sm_80");
            EXPECT_NE(image.ptx.find(".entry rms_norm"), std::string::npos) << how;
            EXPECT_EQ(ptx::parse_module(image.ptx).kernels.size(), 1u) << how;
            EXPECT_EQ(launch::ptx_images(out).size(), 2u) << how;
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find("libzstd.so.1 is not on this machine"), std::string::npos) << how << ": " << e.what();
        }
    }
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ulpgate
