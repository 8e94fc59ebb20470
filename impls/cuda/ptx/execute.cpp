// Scheduling: in a warp the lanes at the lowest instruction run first, so that branches meet again where they join; warps take
// turns between barriers. A block runs to its end before the next.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/machine.hpp"

namespace ulpgate::ptx {
namespace {

std::string instruction_text(const Block& b, const Instruction& i) { return b.program->text[static_cast<std::size_t>(&i - b.program->code.data())]; }

struct Free {
    void operator()(void* p) const { std::free(p); }
};
using Bytes = std::unique_ptr<std::uint8_t, Free>;
Bytes aligned(std::size_t n, std::uint8_t fill) {
    n = (n + 127) / 64 * 64;
    Bytes b(static_cast<std::uint8_t*>(std::aligned_alloc(64, n)));
    std::memset(b.get(), fill, n);
    return b;
}

class Runner {
  public:
    Runner(const Program& p, const Launch& l, Memory& m) : p_(p), launch_(l) {
        const auto threads = l.block.count();
        const auto warps = (threads + lanes - 1) / lanes;
        stride_ = (p.register_bytes + 127) / 64 * 64;
        registers_ = aligned(stride_ * warps, l.poison);
        constants_ = aligned(p.constants.size(), 0);
        if (!p.constants.empty()) std::memcpy(constants_.get(), p.constants.data(), p.constants.size());
        b_.program = &p;
        b_.launch = &l;
        b_.memory = &m;
        b_.warps.resize(warps);
        for (std::size_t k = 0; k < warps; ++k) {
            Warp& w = b_.warps[k];
            w.registers = registers_.get() + stride_ * k;
            w.constants = constants_.get();
            w.block = &b_;
            w.id = static_cast<std::uint32_t>(k);
            for (const auto& s : p.specials) fill_special(w, s, true);
        }
    }

    void block(Extent index) {
        b_.index = index;
        b_.instructions = 0;
        b_.arrived = {};
        b_.expected = {};
        b_.shared.reset(p_.shared_bytes + launch_.dynamic_shared, launch_.poison);
        b_.copies.reset();
        b_.mbarriers.reset();
        b_.live_threads = static_cast<std::uint32_t>(launch_.block.count());
        for (auto& w : b_.warps) {
            const auto n = b_.live_threads - w.id * lanes;
            w.live = n >= lanes ? ~0u : (1u << n) - 1;
            w.epoch = 0;
            w.fragments.assign(1, {0, w.live});
            for (const auto& s : p_.specials) fill_special(w, s, false);
        }
        for (;;) {
            bool left = false, moved = false;
            for (auto& w : b_.warps) {
                if (w.fragments.empty()) continue;
                left = true;
                moved |= warp(w);
            }
            if (!left) break;
            if (!moved) stuck();
        }
        if (const auto wrong = b_.shared.barrier(); !wrong.empty())
            throw Error(fmt::format("{} (kernel {}, block ({},{},{}))", wrong, p_.kernel, index.x, index.y, index.z));
    }

  private:
    void fill_special(Warp& w, const Program::Special& s, bool constant) {
        const bool of_block = s.which >= 6 && s.which <= 8;
        if (of_block == constant) return;
        auto* to = w.lane<std::uint32_t>(s.at);
        if (of_block) {
            const std::uint32_t at = s.which == 6 ? b_.index.x : s.which == 7 ? b_.index.y : b_.index.z;
            std::fill_n(to, lanes, at);
            return;
        }
        const auto &t = launch_.block, &g = launch_.grid;
        for (std::uint32_t l = 0; l < lanes; ++l) {
            const auto n = w.id * lanes + l;
            const std::uint32_t values[] = {n % t.x, n / t.x % t.y, n / t.x / t.y, t.x, t.y, t.z, 0, 0, 0, g.x, g.y, g.z, l, w.id,
                                            static_cast<std::uint32_t>(b_.warps.size()), 1u << l, (1u << l) - 1, ((1u << l) - 1) | 1u << l,
                                            ~(((1u << l) - 1) | 1u << l), ~((1u << l) - 1), launch_.dynamic_shared};
            to[l] = values[s.which];
        }
    }

    // Runs until every lane waits or has left; false where nothing could run.
    bool warp(Warp& w) {
        bool moved = false;
        for (;;) {
            const int at = choose(w);
            if (at < 0) return moved;
            moved = true;
            if (launch_.trace) fragment<true>(w, static_cast<std::size_t>(at));
            else fragment<false>(w, static_cast<std::size_t>(at));
            if (std::exchange(w.yields, false)) return true;
        }
    }
    // The fragment to run: the lowest, joined with all that stand at the same instruction. -1: all wait.
    int choose(Warp& w) {
        auto& f = w.fragments;
        if (f.size() == 1) return f[0].wait == Fragment::Wait::no ? 0 : -1;
        int best = -1;
        for (std::size_t k = 0; k < f.size(); ++k)
            if (f[k].wait == Fragment::Wait::no && (best < 0 || f[k].pc < f[static_cast<std::size_t>(best)].pc)) best = static_cast<int>(k);
        if (best < 0) return -1;
        Fragment joined = f[static_cast<std::size_t>(best)];
        std::erase_if(f, [&](const Fragment& x) {
            if (x.pc != joined.pc || x.wait == Fragment::Wait::barrier) return false;
            joined.mask |= x.mask;
            return true;
        });
        f.push_back(joined);
        return static_cast<int>(f.size()) - 1;
    }

    template <bool traced>
    void fragment(Warp& w, std::size_t at) {
        const Instruction* code = p_.code.data();
        std::uint32_t pc = w.fragments[at].pc;
        const std::uint32_t active = w.fragments[at].mask;
        const bool alone = w.fragments.size() == 1;
        w.mask.set(active);
        std::uint64_t n = b_.instructions;
        const std::uint64_t budget = launch_.budget;
        Mask part;
        for (;;) {
            if (const auto straight = code[pc].straight; !traced && straight && n + straight <= budget) {
                for (const Instruction *i = code + pc, *end = i + straight; i != end; ++i) i->run(w, *i, w.mask);
                n += straight;
                pc += straight;
                if (!alone && meets_at(w, at, pc, n)) return;
                continue;
            }
            const Instruction& i = code[pc];
            std::uint32_t m = active;
            if (i.guard >= 0) {
                const std::uint32_t g = *w.lane<std::uint32_t>(i.guard);
                m &= i.guard_negated ? ~g : g;
            }
            if (++n > budget) endless(w, i, active);
            if (traced && i.flow > Flow::poll) launch_.trace(w, i, m);
            switch (i.flow) {
            case Flow::next:
            case Flow::poll:
                if (i.converges && m && !(i.whole && m != active) && !members_here(w, i, m)) {
                    b_.instructions = n;
                    w.fragments[at] = {pc, active, Fragment::Wait::members, 0};
                    return;
                }
                if constexpr (traced) launch_.trace(w, i, m);
                if (m == active) i.run(w, i, w.mask);
                else if (m) part.set(m), i.run(w, i, part);
                ++pc;
                if (w.yields) {
                    b_.instructions = n;
                    w.fragments[at] = {pc, active};
                    return;
                }
                break;
            case Flow::branch:
                if (!m) ++pc;
                else if (m == active) pc = i.target;
                else {
                    w.fragments[at] = {pc + 1, active & ~m};
                    w.fragments.push_back({i.target, m});
                    b_.instructions = n;
                    return;
                }
                break;
            case Flow::leave:
                if (!m) {
                    ++pc;
                    break;
                }
                b_.instructions = n;
                leave(w, at, pc, active, m);
                return;
            case Flow::barrier:
                if (m != active && m) fault(w, i, std::countr_zero(m), "a barrier under a predicate that is not the same in all lanes");
                if (!m) {
                    ++pc;
                    break;
                }
                b_.instructions = n;
                w.fragments[at] = {pc, active};
                arrive(w, at, i);
                return;
            }
            if (!alone && meets_at(w, at, pc, n)) return;
        }
    }
    // Another fragment is to run first: this one stops before pc.
    bool meets_at(Warp& w, std::size_t at, std::uint32_t pc, std::uint64_t n) {
        const Instruction& i = p_.code[pc];
        if (!(i.label || i.converges) || !meets(w, at, pc)) return false;
        w.fragments[at].pc = pc;
        b_.instructions = n;
        return true;
    }
    [[noreturn]] void endless(const Warp& w, const Instruction& i, std::uint32_t active) const {
        fault(w, i, std::countr_zero(active), fmt::format("the block has run {} instructions of its warps and has not ended: an endless loop?", launch_.budget));
    }
    // Another fragment stands here or before: it may have to run first.
    static bool meets(const Warp& w, std::size_t at, std::uint32_t pc) {
        for (std::size_t k = 0; k < w.fragments.size(); ++k)
            if (k != at && w.fragments[k].wait != Fragment::Wait::barrier && w.fragments[k].pc <= pc && (w.fragments[k].wait == Fragment::Wait::no || w.fragments[k].pc == pc))
                return true;
        return false;
    }
    static bool members_here(Warp& w, const Instruction& i, std::uint32_t m) {
        if (m == w.live) return true;
        const auto* members = w.lane<std::uint32_t>(i.members);
        for (int l = 0; l < lanes; ++l)
            if (m >> l & 1 && members[l] & w.live & ~m) return false;
        return true;
    }
    void leave(Warp& w, std::size_t at, std::uint32_t pc, std::uint32_t active, std::uint32_t m) {
        w.live &= ~m;
        b_.live_threads -= static_cast<std::uint32_t>(std::popcount(m));
        if (m == active) w.fragments.erase(w.fragments.begin() + static_cast<std::ptrdiff_t>(at));
        else w.fragments[at] = {pc + 1, active & ~m};
        // A shuffle that waited for lanes which have left waits no longer.
        for (auto& f : w.fragments)
            if (f.wait == Fragment::Wait::members) f.wait = Fragment::Wait::no;
        for (std::uint32_t id = 0; id < 16; ++id)
            if (b_.arrived[id] && !b_.expected[id] && b_.arrived[id] >= b_.live_threads) release(id);
    }
    void arrive(Warp& w, std::size_t at, const Instruction& i) {
        const auto lane = std::countr_zero(w.fragments[at].mask);
        const std::uint32_t id = w.lane<std::uint32_t>(i.o[0])[lane];
        if (id > 15) fault(w, i, lane, fmt::format("barrier {} does not exist: there are 16", id));
        const std::uint32_t count = i.aux ? w.lane<std::uint32_t>(i.o[1])[lane] : 0;
        if (count % lanes) fault(w, i, lane, fmt::format("a barrier of {} threads: the number must be a multiple of 32", count));
        w.fragments[at].wait = Fragment::Wait::barrier;
        w.fragments[at].barrier = id;
        b_.arrived[id] += static_cast<std::uint32_t>(std::popcount(w.fragments[at].mask));
        b_.expected[id] = count;
        if (b_.arrived[id] >= (count ? count : b_.live_threads)) release(id);
    }
    void release(std::uint32_t id) {
        for (auto& w : b_.warps) {
            const Fragment* first = nullptr;
            for (auto& f : w.fragments) {
                if (f.wait != Fragment::Wait::barrier || f.barrier != id) continue;
                if (first && first->pc != f.pc)
                    fault(w, p_.code[f.pc], std::countr_zero(f.mask), fmt::format("lanes of one warp wait at different barriers: the others at line {}", p_.code[first->pc].line));
                first = &f;
            }
        }
        for (auto& w : b_.warps)
            for (auto& f : w.fragments)
                if (f.wait == Fragment::Wait::barrier && f.barrier == id) f.wait = Fragment::Wait::no, ++f.pc;
        b_.arrived[id] = 0;
        if (const auto wrong = b_.shared.barrier(); !wrong.empty())
            throw Error(fmt::format("{} (kernel {}, block ({},{},{}))", wrong, p_.kernel, b_.index.x, b_.index.y, b_.index.z));
    }
    [[noreturn]] void stuck() {
        for (auto& w : b_.warps)
            for (const auto& f : w.fragments)
                if (f.wait == Fragment::Wait::members) {
                    const int lane = std::countr_zero(f.mask);
                    const Instruction& i = p_.code[f.pc];
                    const auto members = w.lane<std::uint32_t>(i.members)[lane];
                    fault(w, i, lane, i.whole ? fmt::format("needs all lanes of its warp: lanes {:#x} never come here", w.live & ~f.mask)
                                              : fmt::format("wrong member mask: {:#x} names lanes {:#x}, which never come here", members, members & w.live & ~f.mask));
                }
        const Warp* at = nullptr;
        const Fragment* fragment = nullptr;
        for (auto& w : b_.warps)
            for (const auto& f : w.fragments) at = &w, fragment = &f;
        const Instruction& i = p_.code[fragment->pc];
        const auto needed = b_.expected[fragment->barrier] ? b_.expected[fragment->barrier] : b_.live_threads;
        fault(*at, i, std::countr_zero(fragment->mask), fmt::format("deadlock: barrier {} waits for {} threads, {} have come and the rest never will", fragment->barrier, needed, b_.arrived[fragment->barrier]));
    }

    const Program& p_;
    const Launch& launch_;
    std::size_t stride_ = 0;
    Bytes registers_, constants_;
    Block b_;
};

void check(const Program& p, const Launch& l) {
    const auto threads = l.block.count();
    const auto refuse = [&](const std::string& what) { throw Error(fmt::format("kernel {}: {}", p.kernel, what)); };
    if (!threads || !l.grid.count()) refuse("a launch without threads");
    if (threads > 1024) refuse(fmt::format("a block of {} threads: at most 1024", threads));
    if (p.max_threads && threads > p.max_threads) refuse(fmt::format("a block of {} threads: the kernel says .maxntid {}", threads, p.max_threads));
    if (const auto& r = p.required_block; r[0] && (r[0] != l.block.x || r[1] != l.block.y || r[2] != l.block.z))
        refuse(fmt::format("a block of {} x {} x {} threads: the kernel says .reqntid {}, {}, {}", l.block.x, l.block.y, l.block.z, r[0], r[1], r[2]));
    if (l.parameters.size() != p.parameter_bytes) refuse(fmt::format("the launch gives {} bytes of parameters, the kernel has {}", l.parameters.size(), p.parameter_bytes));
    if (std::uint64_t{p.shared_bytes} + l.dynamic_shared > l.shared_limit)
        refuse(fmt::format("{} bytes of shared memory a block: at most {}", std::uint64_t{p.shared_bytes} + l.dynamic_shared, l.shared_limit));
    if (l.grid.y > 65535 || l.grid.z > 65535 || l.grid.x > 0x7fffffffu) refuse("a grid of more than 2147483647 x 65535 x 65535 blocks");
}

}  // namespace

std::string Block::where(const Warp& w, int lane) const {
    const auto n = w.id * lanes + static_cast<std::uint32_t>(lane);
    const auto& t = launch->block;
    return fmt::format("block ({},{},{}) thread ({},{},{})", index.x, index.y, index.z, n % t.x, n / t.x % t.y, n / t.x / t.y);
}

void fault(const Warp& w, const Instruction& i, int lane, const std::string& what) {
    throw Error(fmt::format("line {}, {}: {} ({}; kernel {})", i.line, w.block->where(w, lane), what, instruction_text(*w.block, i), w.block->program->kernel));
}

void run(const Program& p, const Launch& l, Memory& m) {
    check(p, l);
    Runner runner(p, l, m);
    for (std::uint32_t z = 0; z < l.grid.z; ++z)
        for (std::uint32_t y = 0; y < l.grid.y; ++y)
            for (std::uint32_t x = 0; x < l.grid.x; ++x) runner.block({x, y, z});
}

}  // namespace ulpgate::ptx
