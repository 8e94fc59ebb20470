#include "impls/cuda/ptx/registers.hpp"

#include <algorithm>
#include <set>

#include "impls/cuda/ptx/machine.hpp"

namespace ulpgate::ptx {
namespace {

using Kind = Operand::Kind;

struct Life {
    std::size_t first = 0, last = 0, block = 0;
    bool seen = false, local = true;
};

bool reads_its_first_operand(const Statement& s) {
    for (const char* name : {"st.", "red.", "bra", "bar", "mbarrier", "cp."})
        if (s.opcode.starts_with(name)) return true;
    return false;
}
template <class F>
void each_register(const Operand& o, F f) {
    if (o.reg >= 0) f(o.reg);
    for (const auto& p : o.parts) each_register(p, f);
}
bool ends_block(const Statement& s) { return s.opcode.starts_with("bra") || s.opcode.starts_with("ret") || s.opcode == "exit"; }

std::vector<Life> lives(const KernelText& k) {
    std::vector<Life> all(k.registers.size());
    std::set<std::size_t> labels;
    for (const auto& [name, at] : k.labels) labels.insert(at);
    std::size_t block = 0;
    for (std::size_t n = 0; n < k.statements.size(); ++n) {
        const Statement& s = k.statements[n];
        if (labels.contains(n)) ++block;
        const auto mention = [&](int r, bool written) {
            Life& life = all[static_cast<std::size_t>(r)];
            if (!life.seen) life = {n, n, block, true, written && s.guard < 0};
            life.local = life.local && life.block == block;
            life.last = n;
        };
        if (s.guard >= 0) mention(s.guard, false);
        for (std::size_t o = s.operands.size(); o-- > 0;) {  // what is read comes before what is written
            const bool written = o == 0 && s.operands[0].kind != Kind::memory && !reads_its_first_operand(s);
            each_register(s.operands[o], [&](int r) { mention(r, written); });
        }
        if (ends_block(s)) ++block;
    }
    return all;
}

}  // namespace

Placement place_registers(const KernelText& k) {
    const auto all = lives(k);
    Placement p{std::vector<std::int32_t>(k.registers.size(), -1), 0};
    const auto wide = [&](std::size_t r) { return k.registers[r].width == Width::b64; };
    const auto predicate = [&](std::size_t r) { return k.registers[r].width == Width::pred; };
    const auto fresh = [&](std::uint32_t size) {
        const auto at = p.bytes;
        p.bytes += size;
        return static_cast<std::int32_t>(at);
    };
    std::vector<std::vector<std::size_t>> begin(k.statements.size()), end(k.statements.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (predicate(r)) continue;
        if (!all[r].seen || !all[r].local) p.at[r] = fresh(wide(r) ? 8 * lanes : 4 * lanes);
        else begin[all[r].first].push_back(r), end[all[r].last].push_back(r);
    }
    std::vector<std::int32_t> free[2];
    for (std::size_t n = 0; n < k.statements.size(); ++n) {
        for (const auto r : begin[n]) {  // before those that end here are free: a result never lies on its own operands
            auto& f = free[wide(r)];
            if (f.empty()) p.at[r] = fresh(wide(r) ? 8 * lanes : 4 * lanes);
            else p.at[r] = f.back(), f.pop_back();
        }
        for (const auto r : end[n]) free[wide(r)].push_back(p.at[r]);
    }
    for (std::size_t r = 0; r < all.size(); ++r)
        if (predicate(r)) p.at[r] = fresh(4);
    return p;
}

}  // namespace ulpgate::ptx
