// setp: a comparison of lanes into a predicate, alone or joined with another predicate; selp.
#include <string>

#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

enum class Join : u32 { none, with_and, with_or, with_xor };

template <auto f, class A>
ULPGATE_INLINE u32 compared(const A* a, const A* b) {
    u32 bit[lanes];
    ULPGATE_LANES bit[l] = static_cast<u32>(f(a[l], b[l]));
    u32 r = 0;
    for (int l = 0; l < lanes; ++l) r |= bit[l] << l;
    return r;
}
template <auto f, class A>
ULPGATE_INLINE void body(Warp& w, const Instruction& i, const Mask& m) {
    u32 r = compared<f>(static_cast<const A*>(w.lane<A>(i.o[1])), static_cast<const A*>(w.lane<A>(i.o[2])));
    if (const auto join = static_cast<Join>(i.aux); join != Join::none) {
        const u32 c = *w.lane<u32>(i.o[3]);
        r = join == Join::with_and ? r & c : join == Join::with_or ? r | c : r ^ c;
    }
    u32& d = *w.lane<u32>(i.o[0]);
    d = (d & ~m.bits) | (r & m.bits);
}

template <auto f, class A>
void add_comparison(OpcodeTable& t, const std::string& name, const std::string& type) {
    Opcode o;
    o.slots = {{Slot::Is::pred, 1, 1, true}, slot_of<A>(false), slot_of<A>(false)};
    o.run = on_lanes<body<f, A>>();
    t.add("setp." + name + "." + type, o);
    o.slots.push_back({Slot::Is::pred, 1});
    for (const auto& [join, text] : {std::pair(Join::with_and, ".and."), std::pair(Join::with_or, ".or."), std::pair(Join::with_xor, ".xor.")}) {
        o.aux = static_cast<u32>(join);
        t.add("setp." + name + text + type, o);
    }
}

template <class A, auto as>
void add_order(OpcodeTable& t, const std::string& type, bool is_unsigned) {
    add_comparison<[](A a, A b) { return as(a) < as(b); }, A>(t, "lt", type);
    add_comparison<[](A a, A b) { return as(a) <= as(b); }, A>(t, "le", type);
    add_comparison<[](A a, A b) { return as(b) < as(a); }, A>(t, "gt", type);
    add_comparison<[](A a, A b) { return as(b) <= as(a); }, A>(t, "ge", type);
    if (!is_unsigned) return;
    add_comparison<[](A a, A b) { return as(a) < as(b); }, A>(t, "lo", type);
    add_comparison<[](A a, A b) { return as(a) <= as(b); }, A>(t, "ls", type);
    add_comparison<[](A a, A b) { return as(b) < as(a); }, A>(t, "hi", type);
    add_comparison<[](A a, A b) { return as(b) <= as(a); }, A>(t, "hs", type);
}
template <class A, auto as>
void add_equality(OpcodeTable& t, const std::string& type) {
    add_comparison<[](A a, A b) { return as(a) == as(b); }, A>(t, "eq", type);
    add_comparison<[](A a, A b) { return as(a) != as(b); }, A>(t, "ne", type);
}
// Ordered comparisons are false with a NaN, the ones with u true.
template <class A, auto as>
void add_floats(OpcodeTable& t, const std::string& type) {
    add_order<A, as>(t, type, false);
    add_comparison<[](A a, A b) { return as(a) == as(b); }, A>(t, "eq", type);
    add_comparison<[](A a, A b) { return as(a) < as(b) || as(b) < as(a); }, A>(t, "ne", type);
    add_comparison<[](A a, A b) { return !(as(a) < as(b) || as(b) < as(a)); }, A>(t, "equ", type);
    add_comparison<[](A a, A b) { return as(a) != as(b); }, A>(t, "neu", type);
    add_comparison<[](A a, A b) { return !(as(b) <= as(a)); }, A>(t, "ltu", type);
    add_comparison<[](A a, A b) { return !(as(b) < as(a)); }, A>(t, "leu", type);
    add_comparison<[](A a, A b) { return !(as(a) <= as(b)); }, A>(t, "gtu", type);
    add_comparison<[](A a, A b) { return !(as(a) < as(b)); }, A>(t, "geu", type);
    add_comparison<[](A a, A b) { return as(a) == as(a) && as(b) == as(b); }, A>(t, "num", type);
    add_comparison<[](A a, A b) { return as(a) != as(a) || as(b) != as(b); }, A>(t, "nan", type);
}

template <class T>
ULPGATE_INLINE void select(Warp& w, const Instruction& i, const Mask& m) {
    const T *a = w.lane<T>(i.o[1]), *b = w.lane<T>(i.o[2]);
    const u32 p = *w.lane<u32>(i.o[3]);
    T chosen[lanes];
    ULPGATE_LANES chosen[l] = p >> l & 1 ? a[l] : b[l];
    write_lanes(w.lane<T>(i.o[0]), m, chosen);
}
template <class T, class A>
Opcode selection() {
    return {{slot_of<A>(true), slot_of<A>(false), slot_of<A>(false), {Slot::Is::pred, 1}}, on_lanes<select<T>>()};
}

void add(OpcodeTable& t) {
    constexpr auto same = [](auto v) { return v; };
    constexpr auto bits = [](b16 v) { return v.bits; };
    constexpr auto extended = [](b16 v) { return static_cast<i32>(static_cast<i16>(v.bits)); };
    for (const auto* type : {"s32", "u32", "b32"}) add_equality<u32, same>(t, type);
    for (const auto* type : {"s64", "u64", "b64"}) add_equality<u64, same>(t, type);
    for (const auto* type : {"s16", "u16", "b16"}) add_equality<b16, bits>(t, type);
    add_order<i32, same>(t, "s32", false);
    add_order<u32, same>(t, "u32", true);
    add_order<i64, same>(t, "s64", false);
    add_order<u64, same>(t, "u64", true);
    add_order<b16, extended>(t, "s16", false);
    add_order<b16, bits>(t, "u16", true);
    add_floats<f32, same>(t, "f32");
    add_floats<f32, [](f32 v) { return flush(v); }>(t, "ftz.f32");
    add_floats<f64, same>(t, "f64");
    t.add("selp.b16 selp.u16 selp.s16", selection<u32, b16>());
    t.add("selp.b32 selp.u32 selp.s32", selection<u32, u32>());
    t.add("selp.f32", selection<u32, f32>());
    t.add("selp.b64 selp.u64 selp.s64", selection<u64, u64>());
    t.add("selp.f64", selection<u64, f64>());
}

}  // namespace

PIECE(ptx::OpcodeGroup, compare) = {"comparisons and selection", add};

}  // namespace ulpgate::opcodes
