// f16 and bf16 arithmetic, one element or two a register: each result is rounded once, subnormals are kept.
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

constexpr u32 one_fp16 = 0x3c00, one_bf16 = 0x3f80, minus_zero = 0x8000, sign = 0x8000;

// f on both halves.
template <auto f, class... U>
ULPGATE_INLINE u32 both(U... a) {
    return f((a & 0xffffu)...) | f((a >> 16)...) << 16;
}
// A sum or product as one fused operation: 1 * a + b, a * b + -0.
template <auto fma, u32 one>
struct As {
    static ULPGATE_INLINE u32 sum(u32 a, u32 b) { return fma(a, one, b); }
    static ULPGATE_INLINE u32 difference(u32 a, u32 b) { return fma(a, one, (b & 0x7fffu) > (one == one_fp16 ? 0x7c00u : 0x7f80u) ? b : b ^ sign); }
    static ULPGATE_INLINE u32 product(u32 a, u32 b) { return fma(a, b, minus_zero); }
};
// bf16 products are exact in f32.
ULPGATE_INLINE u32 product_bf16(u32 a, u32 b) { return to_bf16(from_bf16(a) * from_bf16(b)); }
using Fp = As<fma_fp16, one_fp16>;
using Bf = As<fma_bf16, one_bf16>;

void add(OpcodeTable& t) {
    t.add("add.f16 add.rn.f16", pure<[](b16 a, b16 b) { return b16{Fp::sum(a.bits, b.bits)}; }>());
    t.add("sub.f16 sub.rn.f16", pure<[](b16 a, b16 b) { return b16{Fp::difference(a.bits, b.bits)}; }>());
    t.add("mul.f16 mul.rn.f16", pure<[](b16 a, b16 b) { return b16{Fp::product(a.bits, b.bits)}; }>());
    t.add("fma.rn.f16", pure<[](b16 a, b16 b, b16 c) { return b16{fma_fp16(a.bits, b.bits, c.bits)}; }>());
    t.add("add.f16x2 add.rn.f16x2", pure<[](u32 a, u32 b) { return both<Fp::sum>(a, b); }>());
    t.add("sub.f16x2 sub.rn.f16x2", pure<[](u32 a, u32 b) { return both<Fp::difference>(a, b); }>());
    t.add("mul.f16x2 mul.rn.f16x2", pure<[](u32 a, u32 b) { return both<Fp::product>(a, b); }>());
    t.add("fma.rn.f16x2", pure<[](u32 a, u32 b, u32 c) { return both<fma_fp16>(a, b, c); }>());

    t.add("add.bf16 add.rn.bf16", pure<[](b16 a, b16 b) { return b16{Bf::sum(a.bits, b.bits)}; }>());
    t.add("sub.bf16 sub.rn.bf16", pure<[](b16 a, b16 b) { return b16{Bf::difference(a.bits, b.bits)}; }>());
    t.add("mul.bf16 mul.rn.bf16", pure<[](b16 a, b16 b) { return b16{product_bf16(a.bits, b.bits)}; }>());
    t.add("fma.rn.bf16", pure<[](b16 a, b16 b, b16 c) { return b16{fma_bf16(a.bits, b.bits, c.bits)}; }>());
    t.add("add.bf16x2 add.rn.bf16x2", pure<[](u32 a, u32 b) { return both<Bf::sum>(a, b); }>());
    t.add("sub.bf16x2 sub.rn.bf16x2", pure<[](u32 a, u32 b) { return both<Bf::difference>(a, b); }>());
    t.add("mul.bf16x2 mul.rn.bf16x2", pure<[](u32 a, u32 b) { return both<product_bf16>(a, b); }>());
    t.add("fma.rn.bf16x2", pure<[](u32 a, u32 b, u32 c) { return both<fma_bf16>(a, b, c); }>());

    t.add("neg.f16 neg.bf16", pure<[](b16 a) { return b16{a.bits ^ sign}; }>());
    t.add("neg.f16x2 neg.bf16x2", pure<[](u32 a) { return a ^ 0x80008000u; }>());
    t.add("abs.f16 abs.bf16", pure<[](b16 a) { return b16{a.bits & 0x7fffu}; }>());
    t.add("abs.f16x2 abs.bf16x2", pure<[](u32 a) { return a & 0x7fff7fffu; }>());
}

}  // namespace

PIECE(ptx::OpcodeGroup, arithmetic_half) = {"f16 and bf16 arithmetic, to nearest", add};

}  // namespace ulpgate::opcodes
