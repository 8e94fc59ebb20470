// Integer arithmetic: wrapping, as PTX ISA 9.7.1 says. A division by zero gives all ones, its remainder the dividend.
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

__extension__ using wide_signed = __int128;
__extension__ using wide_unsigned = unsigned __int128;

template <class T>
ULPGATE_INLINE T quotient(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
    return a / b;
}
template <class T>
ULPGATE_INLINE T remainder(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
    return a % b;
}
ULPGATE_INLINE u32 low(u32 v) { return v & 0xffffu; }
ULPGATE_INLINE i32 extended(b16 v) { return static_cast<i16>(v.bits); }

void add(OpcodeTable& t) {
    t.add("add.s32 add.u32", pure<[](u32 a, u32 b) { return a + b; }>());
    t.add("sub.s32 sub.u32", pure<[](u32 a, u32 b) { return a - b; }>());
    t.add("mul.lo.s32 mul.lo.u32", pure<[](u32 a, u32 b) { return a * b; }>());
    t.add("mad.lo.s32 mad.lo.u32", pure<[](u32 a, u32 b, u32 c) { return a * b + c; }>());
    t.add("add.s64 add.u64", pure<[](u64 a, u64 b) { return a + b; }>());
    t.add("sub.s64 sub.u64", pure<[](u64 a, u64 b) { return a - b; }>());
    t.add("mul.lo.s64 mul.lo.u64", pure<[](u64 a, u64 b) { return a * b; }>());
    t.add("mad.lo.s64 mad.lo.u64", pure<[](u64 a, u64 b, u64 c) { return a * b + c; }>());
    t.add("add.s16 add.u16", pure<[](b16 a, b16 b) { return b16{low(a.bits + b.bits)}; }>());
    t.add("sub.s16 sub.u16", pure<[](b16 a, b16 b) { return b16{low(a.bits - b.bits)}; }>());
    t.add("mul.lo.s16 mul.lo.u16", pure<[](b16 a, b16 b) { return b16{low(a.bits * b.bits)}; }>());

    t.add("mul.wide.u16", pure<[](b16 a, b16 b) { return a.bits * b.bits; }>());
    t.add("mul.wide.s16", pure<[](b16 a, b16 b) { return static_cast<u32>(extended(a) * extended(b)); }>());
    t.add("mul.wide.u32", pure<[](u32 a, u32 b) { return u64{a} * b; }>());
    t.add("mul.wide.s32", pure<[](i32 a, i32 b) { return static_cast<u64>(i64{a} * b); }>());
    t.add("mad.wide.u32", pure<[](u32 a, u32 b, u64 c) { return u64{a} * b + c; }>());
    t.add("mad.wide.s32", pure<[](i32 a, i32 b, u64 c) { return static_cast<u64>(i64{a} * b) + c; }>());
    t.add("mul.hi.u32", pure<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }>());
    t.add("mul.hi.s32", pure<[](i32 a, i32 b) { return static_cast<u32>(static_cast<u64>(i64{a} * b) >> 32); }>());
    t.add("mul.hi.u64", pure<[](u64 a, u64 b) { return static_cast<u64>(static_cast<wide_unsigned>(a) * b >> 64); }>());
    t.add("mul.hi.s64", pure<[](i64 a, i64 b) { return static_cast<u64>(static_cast<wide_signed>(a) * b >> 64); }>());

    t.add("div.u32", pure<[](u32 a, u32 b) { return quotient(a, b); }>());
    t.add("div.s32", pure<[](i32 a, i32 b) { return quotient(a, b); }>());
    t.add("div.u64", pure<[](u64 a, u64 b) { return quotient(a, b); }>());
    t.add("div.s64", pure<[](i64 a, i64 b) { return quotient(a, b); }>());
    t.add("rem.u32", pure<[](u32 a, u32 b) { return remainder(a, b); }>());
    t.add("rem.s32", pure<[](i32 a, i32 b) { return remainder(a, b); }>());
    t.add("rem.u64", pure<[](u64 a, u64 b) { return remainder(a, b); }>());
    t.add("rem.s64", pure<[](i64 a, i64 b) { return remainder(a, b); }>());

    t.add("min.u32", pure<[](u32 a, u32 b) { return a < b ? a : b; }>());
    t.add("min.s32", pure<[](i32 a, i32 b) { return a < b ? a : b; }>());
    t.add("min.u64", pure<[](u64 a, u64 b) { return a < b ? a : b; }>());
    t.add("min.s64", pure<[](i64 a, i64 b) { return a < b ? a : b; }>());
    t.add("max.u32", pure<[](u32 a, u32 b) { return b < a ? a : b; }>());
    t.add("max.s32", pure<[](i32 a, i32 b) { return b < a ? a : b; }>());
    t.add("max.u64", pure<[](u64 a, u64 b) { return b < a ? a : b; }>());
    t.add("max.s64", pure<[](i64 a, i64 b) { return b < a ? a : b; }>());
    t.add("neg.s32", pure<[](u32 a) { return 0u - a; }>());
    t.add("neg.s64", pure<[](u64 a) { return u64{0} - a; }>());
    t.add("neg.s16", pure<[](b16 a) { return b16{low(0u - a.bits)}; }>());
    t.add("abs.s32", pure<[](i32 a) { return a < 0 ? 0u - static_cast<u32>(a) : static_cast<u32>(a); }>());
    t.add("abs.s64", pure<[](i64 a) { return a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a); }>());
}

}  // namespace

PIECE(ptx::OpcodeGroup, arithmetic_int) = {"integer arithmetic", add};

}  // namespace ulpgate::opcodes
