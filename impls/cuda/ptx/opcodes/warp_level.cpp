// shfl.sync, vote.sync, activemask, bar.warp.sync. The scheduler has brought the lanes of the member mask together; what is
// left to check: an executing lane must be a member, and a lane must not read one that is not here.
#include <fmt/format.h>

#include <string>

#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

enum class Move : u32 { up, down, butterfly, index };

struct Source {
    int lane;
    bool within;
};
// PTX ISA, shfl.sync: c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
template <Move move>
Source source(int lane, u32 b, u32 c) {
    const int segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31), by = static_cast<int>(b & 31);
    const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    int j = 0;
    if constexpr (move == Move::up) j = lane - by;
    if constexpr (move == Move::down) j = lane + by;
    if constexpr (move == Move::butterfly) j = lane ^ by;
    if constexpr (move == Move::index) j = first | (by & ~segment);
    const bool within = move == Move::up ? j >= last : j <= last;
    return {within ? j : lane, within};
}

void check_member(Warp& w, const Instruction& i, int l, u32 members) {
    if (!(members >> l & 1)) fault(w, i, l, fmt::format("wrong member mask: {:#x} does not name lane {}, which executes it", members, l));
}

// The shuffle of a sum: the whole warp, one distance for all, whole-warp segments.
template <int by>
ULPGATE_INLINE void crossed(u32* d, const u32* a) {
    u32 result[lanes];
    ULPGATE_LANES result[l] = a[l ^ by];
    ULPGATE_LANES d[l] = result[l];
}
template <Move move>
ULPGATE_INLINE bool whole_warp_butterfly(u32* d, const Mask& m, const u32* a, const u32* b, const u32* c, const u32* members) {
    if (move != Move::butterfly || !m.full) return false;
    u32 other = 0;
    ULPGATE_LANES other |= (members[l] ^ ~0u) | (c[l] ^ 31u) | (b[l] ^ b[0]);
    if (other) return false;
    switch (b[0]) {
    case 1: return crossed<1>(d, a), true;
    case 2: return crossed<2>(d, a), true;
    case 4: return crossed<4>(d, a), true;
    case 8: return crossed<8>(d, a), true;
    case 16: return crossed<16>(d, a), true;
    default: return false;
    }
}

template <Move move>
ULPGATE_INLINE void shuffle(Warp& w, const Instruction& i, const Mask& m) {
    const bool predicate = i.aux;
    const std::size_t k = predicate ? 2 : 1;
    const u32 *a = w.lane<u32>(i.o[k]), *b = w.lane<u32>(i.o[k + 1]), *c = w.lane<u32>(i.o[k + 2]), *members = w.lane<u32>(i.o[k + 3]);
    if (whole_warp_butterfly<move>(w.lane<u32>(i.o[0]), m, a, b, c, members)) {
        if (predicate) *w.lane<u32>(i.o[1]) = ~0u;
        return;
    }
    u32 result[lanes], within = 0;
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        check_member(w, i, l, members[l]);
        const Source s = source<move>(l, b[l], c[l]);
        if (s.lane != l && !(m.bits >> s.lane & 1))
            fault(w, i, l, fmt::format("reads lane {} of its warp, which {}", s.lane, w.live >> s.lane & 1 ? "is not here" : "does not exist or has left"));
        result[l] = a[s.lane];
        within |= static_cast<u32>(s.within) << l;
    }
    u32* d = w.lane<u32>(i.o[0]);
    ULPGATE_LANES if (m.lane[l]) d[l] = result[l];
    if (!predicate) return;
    u32& p = *w.lane<u32>(i.o[1]);
    p = (p & ~m.bits) | within;
}
template <Move move>
void add_shuffle(OpcodeTable& t, const std::string& name) {
    const Slot number{Slot::Is::reg, 32};
    Opcode o{{{Slot::Is::reg, 32, 1, true, true}, {Slot::Is::reg, 32, 1, false, true}, number, number, number}, on_lanes<shuffle<move>>()};
    o.members = 4;
    t.add("shfl.sync." + name + ".b32", o);
    o.slots.insert(o.slots.begin() + 1, {Slot::Is::pred, 1, 1, true});
    o.slots.insert(o.slots.begin(), {Slot::Is::pair});  // d|p
    o.aux = 1;
    o.members = 5;
    t.add("shfl.sync." + name + ".b32:pair", o);
}

template <auto f>
void vote(Warp& w, const Instruction& i, const Mask& m) {
    const u32 *members = w.lane<u32>(i.o[2]), p = *w.lane<u32>(i.o[1]) & m.bits;
    for (int l = 0; l < lanes; ++l)
        if (m.lane[l]) check_member(w, i, l, members[l]);
    f(w, i, m, p);
}
void ballot(Warp& w, const Instruction& i, const Mask& m, u32 p) {
    u32* d = w.lane<u32>(i.o[0]);
    ULPGATE_LANES if (m.lane[l]) d[l] = p;
}
template <bool all>
void quantified(Warp& w, const Instruction& i, const Mask& m, u32 p) {
    u32& d = *w.lane<u32>(i.o[0]);
    d = (d & ~m.bits) | ((all ? p == m.bits : p != 0) ? m.bits : 0);
}
void active(Warp& w, const Instruction& i, const Mask& m) {
    u32* d = w.lane<u32>(i.o[0]);
    ULPGATE_LANES if (m.lane[l]) d[l] = m.bits;
}
void warp_barrier(Warp& w, const Instruction& i, const Mask& m) {
    const u32* members = w.lane<u32>(i.o[0]);
    for (int l = 0; l < lanes; ++l)
        if (m.lane[l]) check_member(w, i, l, members[l]);
    ++w.epoch;
}

void add(OpcodeTable& t) {
    add_shuffle<Move::up>(t, "up");
    add_shuffle<Move::down>(t, "down");
    add_shuffle<Move::butterfly>(t, "bfly");
    add_shuffle<Move::index>(t, "idx");
    const Slot d32{Slot::Is::reg, 32, 1, true}, number{Slot::Is::reg, 32}, dp{Slot::Is::pred, 1, 1, true}, p{Slot::Is::pred, 1};
    Opcode o{{d32, p, number}, vote<ballot>};
    o.members = 2;
    t.add("vote.sync.ballot.b32", o);
    o.slots[0] = dp;
    o.run = vote<quantified<true>>;
    t.add("vote.sync.all.pred", o);
    o.run = vote<quantified<false>>;
    t.add("vote.sync.any.pred", o);
    t.add("activemask.b32", {{d32}, active});
    Opcode barrier{{number}, warp_barrier};
    barrier.members = 0;
    t.add("bar.warp.sync", barrier);
}

}  // namespace

PIECE(ptx::OpcodeGroup, warp_level) = {"shuffles, votes, warp barriers", add};

}  // namespace ulpgate::opcodes
