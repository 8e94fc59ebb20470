// mov: registers, special registers, addresses of shared variables; two registers into one and back.
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

// Whole and half registers differ in width: a result lies on none of its operands.
template <class Whole, int bits>
ULPGATE_INLINE void split(Warp& w, const Instruction& i, const Mask& m) {
    const Whole* s = w.lane<Whole>(i.o[2]);
    lane_loop<[](Whole v) { return static_cast<u32>(v & ((Whole{1} << bits) - 1)); }>(w.lane<u32>(i.o[0]), m, s);
    lane_loop<[](Whole v) { return static_cast<u32>(v >> bits); }>(w.lane<u32>(i.o[1]), m, s);
}
template <class Whole, int bits>
ULPGATE_INLINE void join(Warp& w, const Instruction& i, const Mask& m) {
    const u32 *a = w.lane<u32>(i.o[1]), *b = w.lane<u32>(i.o[2]);
    lane_loop<[](u32 low, u32 high) { return Whole{low} | Whole{high} << bits; }>(w.lane<Whole>(i.o[0]), m, a, b);
}

void add(OpcodeTable& t) {
    t.add("mov.u16 mov.s16 mov.b16", pure<[](b16 a) { return a; }>());
    t.add("mov.u32 mov.s32 mov.b32", pure<[](u32 a) { return a; }>());
    t.add("mov.u64 mov.s64 mov.b64", pure<[](u64 a) { return a; }>());
    t.add("mov.f32", pure<[](f32 a) { return a; }>());
    t.add("mov.f64", pure<[](f64 a) { return a; }>());
    // The same names with a vector operand.
    const auto wide = [](std::uint8_t width, std::uint8_t count, bool destination) {
        return Slot{Slot::Is::reg, width, count, destination, false, false, false};
    };
    t.add("mov.b32:split", {{wide(16, 2, true), wide(32, 1, false)}, on_lanes<split<u32, 16>>()});
    t.add("mov.b32:join", {{wide(32, 1, true), wide(16, 2, false)}, on_lanes<join<u32, 16>>()});
    t.add("mov.b64:split", {{wide(32, 2, true), wide(64, 1, false)}, on_lanes<split<u64, 32>>()});
    t.add("mov.b64:join", {{wide(64, 1, true), wide(32, 2, false)}, on_lanes<join<u64, 32>>()});
}

}  // namespace

PIECE(ptx::OpcodeGroup, move) = {"moves", add};

}  // namespace ulpgate::opcodes
