// mma.sync and ldmatrix: where each element lies (one-hot matrices, by the PTX ISA's formulas), what the sum is (recorded
// results of an A100 and an H100), and what is wrong with a warp that is not whole or an address that is not right.
#include <fmt/format.h>

#include "impls/cuda/ptx/block_test.hpp"
#include "reference/base/rng.hpp"
#include "reference/base/safetensors.hpp"
#include "reference/tensor_core/step.hpp"

namespace ulpgate::ptx::testing {
namespace {

struct Place {
    int row, column;
};
// PTX ISA, "Matrix Fragments for mma.m16n8k8" and "...m16n8k16": element i of lane `lane`; two 16-bit elements a register.
Place of_a(int lane, int i) { return {lane / 4 + (i / 2 % 2 ? 8 : 0), lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0)}; }
Place of_b(int lane, int i) { return {lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0), lane / 4}; }  // row: k
Place of_c(int lane, int i) { return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2}; }

struct Tile {  // of m16n8k: a [16][16], b [k][n], c and d [16][8]
    std::uint16_t a[16][16]{}, b[16][8]{};
    float c[16][8]{}, d[16][8]{};
};

class Mma {
  public:
    Mma(const char* target, const std::string& type, int depth) : depth_(depth), module_(parse_module(text(target, type, depth))), program_(decode(module_, module_.kernels[0])) {}

    void operator()(Tile& t) const {
        std::uint32_t words[14][32]{};  // a, b, c, d: by register, then lane
        const int a = depth_ / 4, b = depth_ / 8;
        for (int l = 0; l < 32; ++l) {
            for (int i = 0; i < 2 * a; ++i) words[i / 2][l] |= std::uint32_t{t.a[of_a(l, i).row][of_a(l, i).column]} << 16 * (i % 2);
            for (int i = 0; i < 2 * b; ++i) words[4 + i / 2][l] |= std::uint32_t{t.b[of_b(l, i).row][of_b(l, i).column]} << 16 * (i % 2);
            for (int i = 0; i < 4; ++i) words[6 + i][l] = std::bit_cast<std::uint32_t>(t.c[of_c(l, i).row][of_c(l, i).column]);
        }
        Memory memory;
        memory.add("words", words, sizeof words, true);
        Launch launch;
        launch.block.x = 32;
        launch.parameters.resize(8);
        auto* p = words;
        std::memcpy(launch.parameters.data(), &p, 8);
        run(program_, launch, memory);
        for (int l = 0; l < 32; ++l)
            for (int i = 0; i < 4; ++i) t.d[of_c(l, i).row][of_c(l, i).column] = std::bit_cast<float>(words[10 + i][l]);
    }

  private:
    static std::string text(const char* target, const std::string& type, int depth) {
        const auto list = [](int first, int n) {
            std::string s = "{";
            for (int k = 0; k < n; ++k) s += (k ? ", %r" : "%r") + std::to_string(first + k);
            return s + "}";
        };
        std::string s = fmt::format(".version 8.0\n.target {}\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n.reg .b32 %r<20>;\n.reg .b64 %d<3>;\n"
                                    "mov.u32 %r15, %laneid;\nmul.wide.u32 %d1, %r15, 4;\nld.param.u64 %d0, [p];\nadd.s64 %d2, %d0, %d1;\n", target);
        for (int k = 0; k < 10; ++k) s += fmt::format("ld.global.u32 %r{}, [%d2+{}];\n", k, 128 * k);
        s += fmt::format("mma.sync.aligned.m16n8k{}.row.col.f32.{}.{}.f32 {}, {}, {}, {};\n", depth, type, type, list(10, 4), list(0, depth / 4), list(4, depth / 8), list(6, 4));
        for (int k = 10; k < 14; ++k) s += fmt::format("st.global.u32 [%d2+{}], %r{};\n", 128 * k, k);
        return s + "ret;\n}\n";
    }
    int depth_;
    Module module_;
    Program program_;
};

template <class F>
void one_hot(const std::string& type, int depth) {
    const Mma mma("sm_80", type, depth);
    Tile t;
    for (int k = 0; k < depth; ++k)
        for (int n = 0; n < 8; ++n) t.b[k][n] = static_cast<std::uint16_t>(F::encode(static_cast<float>(8 * k + n + 1)));
    for (int m = 0; m < 16; ++m)
        for (int n = 0; n < 8; ++n) t.c[m][n] = static_cast<float>(1000 + 8 * m + n);
    for (int row = 0; row < 16; ++row)
        for (int k = 0; k < depth; ++k) {
            t.a[row][k] = static_cast<std::uint16_t>(F::encode(1.0f));
            mma(t);
            t.a[row][k] = 0;
            for (int m = 0; m < 16; ++m)
                for (int n = 0; n < 8; ++n) ASSERT_EQ(t.d[m][n], t.c[m][n] + static_cast<float>(m == row ? 8 * k + n + 1 : 0)) << type << " k" << depth << " row " << row << " k " << k << " at " << m << " " << n;
        }
}
TEST(PtxTensorCore, EveryElementHasItsPlace) {
    one_hot<Bf16>("bf16", 16);
    one_hot<Bf16>("bf16", 8);
    one_hot<Fp16>("f16", 16);
    one_hot<Fp16>("f16", 8);
}

// In how many recorded results the executor's word differs from the card's; each stands in row and column `at` of a tile.
int differing(const char* file_name, const char* target, const char* type) {
    const SafeTensors file = read_safetensors(std::string(ULPGATE_SOURCE "/reference/tensor_core/recorded/") + file_name);
    EXPECT_EQ(file.error, "");
    const auto* a = reinterpret_cast<const std::uint16_t*>(file.bytes_of(*file.find("a")));
    const auto* b = reinterpret_cast<const std::uint16_t*>(file.bytes_of(*file.find("b")));
    const auto* c = reinterpret_cast<const float*>(file.bytes_of(*file.find("c")));
    const auto* d = reinterpret_cast<const float*>(file.bytes_of(*file.find("d")));
    const auto columns = static_cast<std::size_t>(file.find("a")->shape[1]);
    const Mma mma(target, type, static_cast<int>(columns));
    int n = 0;
    for (std::size_t v = 0; v < 2500; ++v) {
        Tile t;
        const auto row = v % 16, column = v % 8;
        for (std::size_t k = 0; k < columns; ++k) t.a[row][k] = a[v * columns + k], t.b[k][column] = b[v * columns + k];
        t.c[row][column] = c[v];
        mma(t);
        n += std::bit_cast<std::uint32_t>(t.d[row][column]) != std::bit_cast<std::uint32_t>(d[v]);
    }
    return n;
}
TEST(PtxTensorCore, GivesEveryRecordedResult) {
    EXPECT_EQ(differing("a100_bf16.safetensors", "sm_80", "bf16"), 0);
    EXPECT_EQ(differing("a100_fp16.safetensors", "sm_86", "f16"), 0);
    EXPECT_EQ(differing("h100_bf16.safetensors", "sm_90", "bf16"), 0);
    EXPECT_EQ(differing("h100_fp16.safetensors", "sm_90a", "f16"), 0);
    // The target decides: an H100's results are not an A100's.
    EXPECT_GE(differing("h100_bf16.safetensors", "sm_80", "bf16"), 200);
}

// d = mma(a, b, d) twice over all lanes of one tile: the chain of both halves' groups.
TEST(PtxTensorCore, AnAmpereTakesColumnsInTwoGroups) {
    Rng rng(3, 1, 4);
    int apart = 0;
    for (int trial = 0; trial < 40; ++trial) {
        Tile t;
        for (auto& row : t.a)
            for (auto& w : row) w = static_cast<std::uint16_t>(0x3c00 + rng.below(0x800) + 0x8000 * rng.below(2));
        for (auto& row : t.b)
            for (auto& w : row) w = static_cast<std::uint16_t>(0x3c00 + rng.below(0x800) + 0x8000 * rng.below(2));
        Tile u = t;
        Mma("sm_80", "bf16", 16)(t);
        Mma("sm_90", "bf16", 16)(u);
        for (int m = 0; m < 16; ++m)
            for (int n = 0; n < 8; ++n) {
                std::uint16_t column[16];
                for (int k = 0; k < 16; ++k) column[k] = t.b[k][n];
                ASSERT_EQ(t.d[m][n], tensor_core_dot<Bf16>(ampere, t.a[m], column, 0));
                ASSERT_EQ(u.d[m][n], tensor_core_dot<Bf16>(hopper, t.a[m], column, 0));
                apart += t.d[m][n] != u.d[m][n];
            }
    }
    EXPECT_GE(apart, 100);
}

const std::string zeros = "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\nmov.u32 %r4, %laneid;\n";
const std::string a_mma = "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r0, %r1, %r2, %r3}, {%r0, %r1}, {%r2}, {%r0, %r1, %r2, %r3};\n";

TEST(PtxTensorCore, NeedsItsWholeWarp) {
    EXPECT_EQ(run_block(kernel(zeros + a_mma), 32).error, "");
    expect_error(kernel(zeros + "setp.lt.u32 %p0, %r4, 7;\n@%p0 " + a_mma), 32, {"line 17", "needs all lanes of its warp: 0xffffff80 are not here"});
    expect_error(kernel(zeros + a_mma), 24, {"line 16", "needs all lanes of its warp: 0xff000000 are not here"});
    expect_error(kernel(zeros + "setp.lt.u32 %p0, %r4, 7;\n@%p0 bra out;\n" + a_mma + "out:\nbar.sync 0;\n"), 32, {"line 18", "needs all lanes of its warp: lanes 0x7f never come here"});
    // Lanes that have left are missing too.
    expect_error(kernel(zeros + "setp.lt.u32 %p0, %r4, 7;\n@%p0 ret;\n" + a_mma), 32, {"line 18", "needs all lanes of its warp: 0x7f are not here"});
    auto old = kernel(zeros + a_mma);
    old.replace(old.find("sm_90"), 5, "sm_75");
    expect_error(old, 32, {"line 16", "the tensor core of the target has no model"});
}

// Element e of row r of matrix q in shared memory holds 64 q + 8 r + e; `how` loads n matrices, register `pick` is returned.
std::vector<std::uint32_t> loaded(int n, bool transposed, int pick) {
    std::string body = "mov.u32 %r4, %laneid;\nmov.u32 %r5, s;\nshl.b32 %r6, %r4, 4;\nadd.s32 %r6, %r6, %r5;\n";  // lane's row of 16 bytes
    body += "shl.b32 %r7, %r4, 3;\nshl.b32 %r8, %r7, 16;\nor.b32 %r8, %r8, %r7;\nadd.s32 %r8, %r8, 0x10000;\n";  // 8 lane + {0, 1}
    for (int k = 0; k < 4; ++k) body += fmt::format("st.shared.u32 [%r6+{}], %r8;\nadd.s32 %r8, %r8, 0x20002;\n", 4 * k);
    body += "bar.sync 0;\n";
    std::string list;
    for (int k = 0; k < n; ++k) list += (k ? ", %r" : "%r") + std::to_string(10 + k);
    body += fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, [%r6];\nmov.u32 %r0, %r{};\n", n, transposed ? ".trans" : "", list, 10 + pick);
    const auto r = run_block(kernel(body, ".shared .align 16 .b8 s[512];"), 32);
    EXPECT_EQ(r.error, "");
    return r.y;
}
TEST(PtxTensorCore, LdmatrixGivesEachLaneItsElements) {
    for (const int n : {1, 2, 4})
        for (int q = 0; q < n; ++q)
            for (const bool transposed : {false, true}) {
                const auto y = loaded(n, transposed, q);
                for (std::uint32_t l = 0; l < 32; ++l) {
                    const std::uint32_t g = l / 4, t = l % 4 * 2, base = 64 * static_cast<std::uint32_t>(q);
                    const auto low = transposed ? base + 8 * t + g : base + 8 * g + t, high = transposed ? base + 8 * (t + 1) + g : base + 8 * g + t + 1;
                    EXPECT_EQ(y[l], low | high << 16) << n << " " << q << " lane " << l;
                }
            }
}
TEST(PtxTensorCore, LdmatrixIsHeldToItsAddresses) {
    const std::string lane = "mov.u32 %r4, %laneid;\nmov.u32 %r5, s;\nshl.b32 %r6, %r4, 4;\nadd.s32 %r6, %r6, %r5;\n", load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r6";
    expect_error(kernel(lane + load + "];\n", ".shared .align 16 .b8 s[256];"), 32, {"line 15", "thread (16,0,0)", "16 bytes at byte 256 of shared memory, of which the launch gives 256"});
    expect_error(kernel(lane + load + "+8];\n", ".shared .align 16 .b8 s[1024];"), 32, {"line 15", "no multiple of 16"});
    expect_error(kernel(lane + load + "];\n", ".shared .align 16 .b8 s[512];"), 32, {"reads shared byte", "which nothing has written"});
    const std::string write = "mov.u32 %r8, 0;\nst.shared.v4.u32 [%r6], {%r4, %r8, %r8, %r8};\n";
    expect_error(kernel(lane + write + "xor.b32 %r6, %r6, 16;\n" + load + "];\n", ".shared .align 16 .b8 s[512];"), 32, {"race: reads shared byte", "writes at line 16 with no barrier between"});
    expect_error(kernel(lane + write + "bar.sync 0;\nsetp.lt.u32 %p0, %r4, 31;\n@%p0 " + load + "];\n", ".shared .align 16 .b8 s[512];"), 32, {"needs all lanes of its warp: 0x80000000 are not here"});
}

}  // namespace
}  // namespace ulpgate::ptx::testing
