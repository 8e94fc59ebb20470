// mbarrier: init, inval, arrive, test_wait and try_wait by state or parity, and the arrival of a thread's asynchronous copies. A wait
// that fails lets the other warps run. The end of a phase orders shared memory as a barrier of the block does: what it does not
// order beside is not told as a race.
#include <cstring>
#include <string>

#include "impls/cuda/ptx/access.hpp"
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

u32 place(Warp& w, const Instruction& i, int l, int operand) { return shared_bytes(w, i, l, w.lane<u32>(i.o[static_cast<std::size_t>(operand)])[l] + i.target, 8); }
Mbarriers::Barrier& barrier(Warp& w, const Instruction& i, int l, int operand) {
    const u32 at = place(w, i, l, operand);
    auto* b = w.block->mbarriers.find(at);
    if (!b) fault(w, i, l, fmt::format("no mbarrier at byte {} of shared memory: mbarrier.init has not been there", at));
    return *b;
}

void init(Warp& w, const Instruction& i, const Mask& m) {
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        const u32 at = place(w, i, l, 0), count = w.lane<u32>(i.o[1])[l];
        if (count < 1 || count > Mbarriers::most) fault(w, i, l, fmt::format("an mbarrier of {} arrivals: 1 to {}", count, Mbarriers::most));
        if (!w.block->mbarriers.init(at, count)) fault(w, i, l, fmt::format("an mbarrier is at byte {} of shared memory already", at));
        const u64 opaque = count;
        if (const auto wrong = w.block->shared.write(at, 8, shared_access(w, i, l), &opaque); !wrong.empty()) fault(w, i, l, wrong);
    }
}
void invalidate(Warp& w, const Instruction& i, const Mask& m) {
    for (int l = 0; l < lanes; ++l)
        if (m.lane[l]) barrier(w, i, l, 0), w.block->mbarriers.invalidate(place(w, i, l, 0));
}

u64 arrive_one(Warp& w, const Instruction& i, int l, Mbarriers::Barrier& b, u32 count) {
    if (count < 1 || count > b.pending) fault(w, i, l, fmt::format("{} arrivals at an mbarrier whose phase waits for {}", count, b.pending));
    const u64 state = b.phase;
    if (Mbarriers::arrive(b, count))
        if (const auto wrong = w.block->shared.barrier(); !wrong.empty()) fault(w, i, l, wrong);
    return state;
}
void arrive(Warp& w, const Instruction& i, const Mask& m) {
    const u32* count = i.aux ? w.lane<u32>(i.o[2]) : nullptr;
    for (int l = 0; l < lanes; ++l)
        if (m.lane[l]) w.lane<u64>(i.o[0])[l] = arrive_one(w, i, l, barrier(w, i, l, 1), count ? count[l] : 1);
}

template <class Key, bool parity>
void wait(Warp& w, const Instruction& i, const Mask& m) {
    u32& done = *w.lane<u32>(i.o[0]);  // a bit a lane
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        const auto& b = barrier(w, i, l, 1);
        const Key key = w.lane<Key>(i.o[2])[l];
        if (parity && key > 1) fault(w, i, l, fmt::format("a parity of {}: 0 or 1", key));
        const bool ended = parity ? (b.phase & 1) != key : b.phase != key;
        done = (done & ~(1u << l)) | static_cast<u32>(ended) << l;
        w.yields |= !ended;
    }
}

// The copies that the thread has begun until now arrive when they are done: here, at once. noinc: this arrival is among those expected.
template <bool counted>
void copies_arrive(Warp& w, const Instruction& i, const Mask& m) {
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        auto& b = barrier(w, i, l, 0);
        auto who = shared_access(w, i, l);
        w.block->copies.commit(who.thread);
        w.block->copies.wait(who.thread, 0, [&](const AsyncCopies::Copy& c) {
            std::uint8_t value[16]{};
            if (c.from_bytes) std::memcpy(value, c.from, c.from_bytes);
            who.line = c.line;
            w.block->shared.end_copy(c.to, c.bytes, who, value);
        });
        if (counted) arrive_one(w, i, l, b, 1);
    }
}

void add(OpcodeTable& t) {
    const Slot object{Slot::Is::shared, 32}, state_out{Slot::Is::reg, 64, 1, true}, state{Slot::Is::reg, 64}, number{Slot::Is::reg, 32},
        optional{Slot::Is::reg, 32, 1, false, false, false, true}, done{Slot::Is::pred, 1, 1, true};
    for (const std::string space : {".shared.b64", ".shared::cta.b64"}) {
        t.add("mbarrier.init" + space, {{object, number}, init});
        t.add("mbarrier.inval" + space, {{object}, invalidate});
        for (const std::string order : {"", ".release.cta"}) t.add("mbarrier.arrive" + order + space, {{state_out, object, optional}, arrive});
        for (const std::string how : {"mbarrier.test_wait", "mbarrier.try_wait"})
            for (const std::string order : {"", ".acquire.cta"}) {
                std::vector<Slot> by_state{done, object, state}, by_parity{done, object, number};
                if (how.ends_with("try_wait")) by_state.push_back(optional), by_parity.push_back(optional);
                t.add(how + order + space, {by_state, wait<u64, false>, Flow::poll});
                t.add(how + ".parity" + order + space, {by_parity, wait<u32, true>, Flow::poll});
            }
        t.add("cp.async.mbarrier.arrive.noinc" + space, {{object}, copies_arrive<true>});
        // Without noinc the arrival is expected in addition: both cancel out once the copies are done.
        t.add("cp.async.mbarrier.arrive" + space, {{object}, copies_arrive<false>});
    }
}

}  // namespace

PIECE(ptx::OpcodeGroup, mbarrier) = {"mbarrier objects", add};

}  // namespace ulpgate::opcodes
