// and, or, xor, not, shifts, bit fields, byte permutation, three-input logic.
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

template <auto f>
void on_predicates(Warp& w, const Instruction& i, const Mask& m) {
    u32& d = *w.lane<u32>(i.o[0]);
    d = (d & ~m.bits) | (f(*w.lane<u32>(i.o[1]), *w.lane<u32>(i.o[2])) & m.bits);
}
template <auto f>
Opcode predicates(int sources) {
    Opcode o;
    o.slots.push_back({Slot::Is::pred, 1, 1, true});
    for (int k = 0; k < sources; ++k) o.slots.push_back({Slot::Is::pred, 1});
    o.run = on_predicates<f>;
    return o;
}

ULPGATE_INLINE u32 low_ones(u32 n) { return n >= 32 ? ~0u : (1u << n) - 1; }
ULPGATE_INLINE u32 inserted(u32 a, u32 b, u32 c, u32 d) {
    const u32 at = c & 255, n = d & 255;
    const u32 field = at > 31 ? 0 : low_ones(n) << at;
    return (b & ~field) | ((at > 31 ? 0 : a << at) & field);
}
ULPGATE_INLINE u32 extracted(u32 a, u32 b, u32 c) { return ((b & 255) > 31 ? 0 : a >> (b & 255)) & low_ones(c & 255); }
ULPGATE_INLINE u32 extracted_signed(u32 a, u32 b, u32 c) {
    const u32 at = b & 255, n = c & 255;
    if (n == 0) return 0;
    const u32 top = at + n - 1 < 31 ? at + n - 1 : 31, fill = a >> top & 1 ? ~0u : 0u;
    const u32 v = at > 31 ? fill : a >> at | (at ? fill << (32 - at) : 0);
    return 31 < n ? v : (v & low_ones(n)) | (fill & ~low_ones(n));
}
ULPGATE_INLINE u32 permuted(u32 a, u32 b, u32 selector) {
    const u64 all = u64{b} << 32 | a;
    u32 r = 0;
    for (int k = 0; k < 4; ++k) {
        const u32 s = selector >> (4 * k) & 15, byte = static_cast<u32>(all >> (8 * (s & 7))) & 255;
        r |= (s & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << (8 * k);
    }
    return r;
}
ULPGATE_INLINE u32 looked_up(u32 a, u32 b, u32 c, u32 table) {
    u32 r = 0;
    for (u32 k = 0; k < 8; ++k)
        if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}

void add(OpcodeTable& t) {
    t.add("and.pred", predicates<[](u32 a, u32 b) { return a & b; }>(2));
    t.add("or.pred", predicates<[](u32 a, u32 b) { return a | b; }>(2));
    t.add("xor.pred", predicates<[](u32 a, u32 b) { return a ^ b; }>(2));
    t.add("not.pred", predicates<[](u32 a, u32) { return ~a; }>(1));
    t.add("mov.pred", predicates<[](u32 a, u32) { return a; }>(1));

    t.add("and.b32", pure<[](u32 a, u32 b) { return a & b; }>());
    t.add("or.b32", pure<[](u32 a, u32 b) { return a | b; }>());
    t.add("xor.b32", pure<[](u32 a, u32 b) { return a ^ b; }>());
    t.add("not.b32", pure<[](u32 a) { return ~a; }>());
    t.add("and.b64", pure<[](u64 a, u64 b) { return a & b; }>());
    t.add("or.b64", pure<[](u64 a, u64 b) { return a | b; }>());
    t.add("xor.b64", pure<[](u64 a, u64 b) { return a ^ b; }>());
    t.add("not.b64", pure<[](u64 a) { return ~a; }>());
    t.add("and.b16", pure<[](b16 a, b16 b) { return b16{a.bits & b.bits}; }>());
    t.add("or.b16", pure<[](b16 a, b16 b) { return b16{a.bits | b.bits}; }>());
    t.add("xor.b16", pure<[](b16 a, b16 b) { return b16{a.bits ^ b.bits}; }>());
    t.add("not.b16", pure<[](b16 a) { return b16{~a.bits & 0xffffu}; }>());

    t.add("shl.b16", pure<[](b16 a, u32 n) { return b16{15 < n ? 0u : a.bits << n & 0xffffu}; }>());
    t.add("shl.b32", pure<[](u32 a, u32 n) { return 31 < n ? 0u : a << n; }>());
    t.add("shl.b64", pure<[](u64 a, u32 n) { return 63 < n ? u64{0} : a << n; }>());
    t.add("shr.u16 shr.b16", pure<[](b16 a, u32 n) { return b16{15 < n ? 0u : (a.bits >> n)}; }>());
    t.add("shr.s16", pure<[](b16 a, u32 n) { return b16{static_cast<u32>((static_cast<i16>(a.bits) >> (15 < n ? 15 : n))) & 0xffffu}; }>());
    t.add("shr.u32 shr.b32", pure<[](u32 a, u32 n) { return 31 < n ? 0u : (a >> n); }>());
    t.add("shr.s32", pure<[](i32 a, u32 n) { return (a >> (31 < n ? 31 : n)); }>());
    t.add("shr.u64 shr.b64", pure<[](u64 a, u32 n) { return 63 < n ? u64{0} : (a >> n); }>());
    t.add("shr.s64", pure<[](i64 a, u32 n) { return (a >> (63 < n ? 63 : n)); }>());
    t.add("shf.l.wrap.b32", pure<[](u32 a, u32 b, u32 n) { return static_cast<u32>(((u64{b} << 32 | a) << (n & 31)) / 0x100000000ull); }>());
    t.add("shf.r.wrap.b32", pure<[](u32 a, u32 b, u32 n) { return static_cast<u32>(((u64{b} << 32 | a) >> (n & 31))); }>());

    t.add("bfi.b32", pure<[](u32 a, u32 b, u32 c, u32 d) { return inserted(a, b, c, d); }>());
    t.add("bfe.u32", pure<[](u32 a, u32 b, u32 c) { return extracted(a, b, c); }>());
    t.add("bfe.s32", pure<[](u32 a, u32 b, u32 c) { return extracted_signed(a, b, c); }>());
    t.add("prmt.b32", pure<[](u32 a, u32 b, u32 s) { return permuted(a, b, s); }>());
    t.add("lop3.b32", pure<[](u32 a, u32 b, u32 c, u32 table) { return looked_up(a, b, c, table); }>());
    t.add("popc.b32", pure<[](u32 a) { return static_cast<u32>(std::popcount(a)); }>());
    t.add("clz.b32", pure<[](u32 a) { return static_cast<u32>(std::countl_zero(a)); }>());
}

}  // namespace

PIECE(ptx::OpcodeGroup, logic) = {"logic and shifts", add};

}  // namespace ulpgate::opcodes
