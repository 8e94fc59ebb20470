// mma.sync of 16-bit factors to f32, and ldmatrix. Where an element lies in the lanes' registers: PTX ISA, "Matrix Fragments for
// mma.m16n8k8" and "mma.m16n8k16 with floating point type", "ldmatrix". What the sum is: reference/tensor_core, by the target.
#include <cstring>
#include <string>

#include "impls/cuda/ptx/access.hpp"
#include "impls/cuda/ptx/opcode.hpp"
#include "reference/tensor_core/tile.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

void check_whole(Warp& w, const Instruction& i, const Mask& m) {
    if (!m.full) fault(w, i, std::countr_zero(m.bits), fmt::format("needs all lanes of its warp: {:#x} are not here", ~m.bits));
}

// Lane 4 g + t holds columns 2 t and 2 t + 1 of row g, and of row g + 8, in each register; b's rows are the matrix's columns.
template <class F, int depth>
void mma(Warp& w, const Instruction& i, const Mask& m) {
    check_whole(w, i, m);
    if (!w.block->program->tensor_core) fault(w, i, 0, "the tensor core of the target has no model: sm_80 to sm_89, sm_90 and sm_100 have");
    TensorCore core = *w.block->program->tensor_core;
    core.least_exponent = w.block->launch->least_exponent.value_or(core.least_exponent);
    constexpr int halves = depth / 8, first_a = 4, first_b = first_a + 2 * halves, first_c = first_b + halves;
    alignas(64) typename F::Word a[tile_rows * depth], b[tile_columns * depth];
    float d[tile_rows * tile_columns];
    const auto place = [&](typename F::Word* to, int operand, int row, int column) {
        const u32* from = w.lane<u32>(i.o[static_cast<std::size_t>(operand)]);
        for (int l = 0; l < lanes; ++l) std::memcpy(to + (row + l / 4) * depth + column + 2 * (l % 4), from + l, 4);
    };
    for (int h = 0; h < halves; ++h) {
        place(a, first_a + 2 * h, 0, 8 * h);
        place(a, first_a + 2 * h + 1, 8, 8 * h);
        place(b, first_b + h, 0, 8 * h);
    }
    const auto at = [](int k, int l) { return (8 * (k / 2) + l / 4) * tile_columns + 2 * (l % 4) + k % 2; };
    for (int k = 0; k < 4; ++k) {
        const f32* c = w.lane<f32>(i.o[static_cast<std::size_t>(first_c + k)]);
        for (int l = 0; l < lanes; ++l) d[at(k, l)] = c[l];
    }
    tensor_core_tile<F>(core, depth, a, b, d);
    for (int k = 0; k < 4; ++k) {
        f32* out = w.lane<f32>(i.o[static_cast<std::size_t>(k)]);
        for (int l = 0; l < lanes; ++l) out[l] = d[at(k, l)];
    }
}
template <class F, int depth>
void add_mma(OpcodeTable& t, const std::string& type) {
    const auto factors = [](int n) { return Slot{Slot::Is::reg, 32, static_cast<std::uint8_t>(n)}; };
    Opcode o{{{Slot::Is::reg, 32, 4, true, true}, factors(depth / 4), factors(depth / 8), {Slot::Is::reg, 32, 4, false, true}}, mma<F, depth>};
    o.whole = true;
    t.add("mma.sync.aligned.m16n8k" + std::to_string(depth) + ".row.col.f32." + type + "." + type + ".f32", o);
}

// Lanes 8 q to 8 q + 7 give the addresses of the rows of matrix q: 8 elements each. Lane 4 g + t receives elements 2 t and
// 2 t + 1 of row g; transposed: of column g.
template <int n, bool transposed>
void load_matrices(Warp& w, const Instruction& i, const Mask& m) {
    check_whole(w, i, m);
    const u32* address = w.lane<u32>(i.o[n]);
    u16 row[8 * n][8];
    for (int l = 0; l < 8 * n; ++l) {
        const u32 at = shared_bytes(w, i, l, address[l] + i.target, sizeof row[l]);
        if (const auto wrong = w.block->shared.read(at, sizeof row[l], shared_access(w, i, l), row[l]); !wrong.empty()) fault(w, i, l, wrong);
    }
    for (int q = 0; q < n; ++q) {
        u32* d = w.lane<u32>(i.o[static_cast<std::size_t>(q)]);
        for (int l = 0; l < lanes; ++l) {
            const int g = l / 4, t = 2 * (l % 4);
            d[l] = transposed ? row[8 * q + t][g] | static_cast<u32>(row[8 * q + t + 1][g]) << 16 : row[8 * q + g][t] | static_cast<u32>(row[8 * q + g][t + 1]) << 16;
        }
    }
}
template <int n>
void add_load(OpcodeTable& t) {
    const Slot to{Slot::Is::reg, 32, n, true}, from{Slot::Is::shared, 32};
    Opcode o{{to, from}, load_matrices<n, false>}, across{{to, from}, load_matrices<n, true>};
    o.whole = across.whole = true;
    for (const std::string space : {".shared.b16", ".shared::cta.b16"}) {
        const std::string name = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(n);
        t.add(name + space, o);
        t.add(name + ".trans" + space, across);
    }
}

void add(OpcodeTable& t) {
    add_mma<Bf16, 16>(t, "bf16");
    add_mma<Bf16, 8>(t, "bf16");
    add_mma<Fp16, 16>(t, "f16");
    add_mma<Fp16, 8>(t, "f16");
    add_load<1>(t);
    add_load<2>(t);
    add_load<4>(t);
}

}  // namespace

PIECE(ptx::OpcodeGroup, tensor_core) = {"tensor cores", add};

}  // namespace ulpgate::opcodes
