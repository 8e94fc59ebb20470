// cp.async: global to shared memory, 4, 8 or 16 bytes a lane, of which the source may give fewer: the rest is zero. Commits and
// waits are each thread's own; what other threads copied is seen after a barrier that follows their wait.
#include <algorithm>
#include <cstring>
#include <string>

#include "impls/cuda/ptx/access.hpp"
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

template <bool cached>  // .ca: any size; .cg: 16 bytes
void copy(Warp& w, const Instruction& i, const Mask& m) {
    const u32 *to = w.lane<u32>(i.o[0]), bytes = *w.lane<u32>(i.o[2]);
    const u64* from = w.lane<u64>(i.o[1]);
    const u32* given = i.aux ? w.lane<u32>(i.o[3]) : nullptr;
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        if (bytes != 16 && (!cached || (bytes != 4 && bytes != 8))) fault(w, i, l, fmt::format("copies {} bytes: .ca copies 4, 8 or 16, .cg 16", bytes));
        const u32 n = given ? given[l] : bytes;
        if (n > bytes) fault(w, i, l, fmt::format("is to read {} bytes and to write {}", n, bytes));
        const u64 address = from[l] + static_cast<u64>(i.offset);
        check_alignment(w, i, l, address, bytes);
        const std::uint8_t* source = n ? w.block->memory->find(address, n, false) : nullptr;
        if (n && !source) fault(w, i, l, w.block->memory->describe(address, n, false));
        const u32 at = shared_bytes(w, i, l, to[l] + i.target, bytes);
        const auto who = shared_access(w, i, l);
        if (const auto wrong = w.block->shared.begin_copy(at, bytes, who); !wrong.empty()) fault(w, i, l, wrong);
        w.block->copies.begin(who.thread, {at, bytes, source, n, i.line});
    }
}
void commit(Warp& w, const Instruction& i, const Mask& m) {
    for (int l = 0; l < lanes; ++l)
        if (m.lane[l]) w.block->copies.commit(shared_access(w, i, l).thread);
}
void wait(Warp& w, const Instruction& i, const Mask& m, std::size_t pending) {
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        auto who = shared_access(w, i, l);
        w.block->copies.wait(who.thread, pending, [&](const AsyncCopies::Copy& c) {
            std::uint8_t value[16]{};
            if (c.from_bytes) std::memcpy(value, c.from, c.from_bytes);
            who.line = c.line;
            w.block->shared.end_copy(c.to, c.bytes, who, value);
        });
    }
}
void wait_group(Warp& w, const Instruction& i, const Mask& m) { wait(w, i, m, *w.lane<u32>(i.o[0])); }
void wait_all(Warp& w, const Instruction& i, const Mask& m) {
    commit(w, i, m);
    wait(w, i, m, 0);
}

void add(OpcodeTable& t) {
    const Slot number{Slot::Is::reg, 32}, given{Slot::Is::reg, 32, 1, false, false, false, true};
    const std::vector<Slot> slots{{Slot::Is::shared, 32}, {Slot::Is::global, 32}, number, given};
    for (const std::string space : {".shared.global", ".shared::cta.global"})
        for (const std::string hint : {"", ".L2::64B", ".L2::128B", ".L2::256B"}) {
            t.add("cp.async.ca" + space + hint, {slots, copy<true>});
            t.add("cp.async.cg" + space + hint, {slots, copy<false>});
        }
    t.add("cp.async.commit_group", {{}, commit});
    t.add("cp.async.wait_group", {{number}, wait_group});
    t.add("cp.async.wait_all", {{}, wait_all});
}

}  // namespace

PIECE(ptx::OpcodeGroup, async_copy) = {"asynchronous copies", add};

}  // namespace ulpgate::opcodes
