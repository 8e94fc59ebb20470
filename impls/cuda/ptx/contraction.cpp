// What ptxas 13 contracts, as measured on its SASS: mul.f32 followed by add.f32 or sub.f32 becomes FFMA where every use of the
// product is an add or sub, neither names .rn, and no branch stands between; of two products the first operand's is fused.
#include <algorithm>
#include <set>

#include "impls/cuda/ptx/decode.hpp"

namespace ulpgate::ptx {
namespace {

using Kind = Operand::Kind;

bool open_mul(const std::string& o) { return o == "mul.f32" || o == "mul.ftz.f32"; }
bool open_sum(const std::string& o) { return o == "add.f32" || o == "sub.f32" || o == "add.ftz.f32" || o == "sub.ftz.f32"; }
bool flushes(const std::string& o) { return o.find(".ftz") != o.npos; }

template <class F>
void each_use(const Statement& s, F f) {
    const bool stores = s.opcode.starts_with("st.");
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
        const Operand& o = s.operands[k];
        if (o.kind == Kind::memory && o.reg >= 0) f(o.reg);
        if (k == 0 && !stores) continue;  // written
        if (o.kind == Kind::reg) f(o.reg);
        for (const auto& p : o.parts)
            if (p.kind == Kind::reg) f(p.reg);
    }
}
bool ends_block(const Statement& s) { return s.opcode.starts_with("bra") || s.opcode == "ret" || s.opcode == "exit"; }
bool plain(const Statement& s) { return s.operands.size() >= 3 && s.operands[0].kind == Kind::reg && s.guard < 0; }

// The statements that use the product of statement `at`, if all of them are open sums in its own block; else none.
std::vector<std::size_t> fusible_uses(const KernelText& k, const std::set<std::size_t>& labels, std::size_t at) {
    const int product = k.statements[at].operands[0].reg;
    std::vector<std::size_t> uses, here;
    for (std::size_t j = 0; j < k.statements.size(); ++j) {
        bool used = false, written = false;
        each_use(k.statements[j], [&](int r) { used |= r == product; });
        written = j != at && !k.statements[j].operands.empty() && k.statements[j].operands[0].kind == Kind::reg && k.statements[j].operands[0].reg == product &&
                  !k.statements[j].opcode.starts_with("st.");
        if (written) return {};
        if (used) uses.push_back(j);
    }
    for (std::size_t j = at + 1; j < k.statements.size() && !labels.contains(j); ++j) {
        if (std::find(uses.begin(), uses.end(), j) != uses.end()) here.push_back(j);
        if (ends_block(k.statements[j])) break;
    }
    if (here.size() != uses.size()) return {};
    for (const auto j : uses)
        if (!open_sum(k.statements[j].opcode) || !plain(k.statements[j]) || flushes(k.statements[j].opcode) != flushes(k.statements[at].opcode)) return {};
    return uses;
}

}  // namespace

std::vector<Pair> contractable(const KernelText& k) {
    std::set<std::size_t> labels;
    for (const auto& [name, at] : k.labels) labels.insert(at);
    std::vector<Pair> out;
    for (std::size_t j = 0; j < k.statements.size(); ++j) {
        if (!open_mul(k.statements[j].opcode) || !plain(k.statements[j])) continue;
        for (const auto add : fusible_uses(k, labels, j)) out.push_back({j, add});
    }
    return out;
}

std::vector<Fuse> ensemble(const KernelText& k) {
    const auto pairs = contractable(k);
    if (pairs.empty()) return {Fuse::none};
    for (const auto& p : pairs)
        if (std::count_if(pairs.begin(), pairs.end(), [&](const Pair& q) { return q.add == p.add; }) > 1) return {Fuse::none, Fuse::first, Fuse::second};
    return {Fuse::none, Fuse::first};
}

std::size_t approximate_count(const KernelText& k) {
    return static_cast<std::size_t>(std::count_if(k.statements.begin(), k.statements.end(), [](const Statement& s) {
        return s.opcode.find(".approx") != s.opcode.npos || s.opcode.starts_with("div.full");
    }));
}

KernelText contracted(const KernelText& k, Fuse how) {
    KernelText out = k;
    if (how == Fuse::none) return out;
    for (const auto& p : contractable(k)) {
        Statement& s = out.statements[p.add];
        if (!open_sum(s.opcode)) {
            // Both operands are products: the first one's pair came first where it is fused.
            continue;
        }
        const auto pairs = contractable(k);
        std::vector<std::size_t> products;
        for (const auto& q : pairs)
            if (q.add == p.add) products.push_back(q.mul);
        const auto is_operand = [&](std::size_t mul, std::size_t n) {
            const Operand& o = s.operands[n];
            return o.kind == Kind::reg && o.reg == k.statements[mul].operands[0].reg;
        };
        std::size_t operand = how == Fuse::first ? 1 : 2;
        auto chosen = std::find_if(products.begin(), products.end(), [&](std::size_t m) { return is_operand(m, operand); });
        if (chosen == products.end()) {
            operand = 3 - operand;
            chosen = std::find_if(products.begin(), products.end(), [&](std::size_t m) { return is_operand(m, operand); });
        }
        const Statement& mul = k.statements[*chosen];
        const Operand a = mul.operands[1], b = mul.operands[2], other = s.operands[3 - operand];
        const bool subtract = s.opcode.starts_with("sub");
        s.opcode = flushes(s.opcode) ? "fma.rn.ftz.f32" : "fma.rn.f32";
        if (subtract) s.opcode += operand == 1 ? ":minus_c" : ":minus_ab";
        s.operands = {s.operands[0], a, b, other};
        s.text += " (contracted)";
    }
    return out;
}

}  // namespace ulpgate::ptx
