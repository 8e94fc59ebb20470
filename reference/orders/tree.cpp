#include "reference/orders/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulpgate {
namespace {

std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::string part_words(const Tree& t, int k) {
    std::string s;
    for (const int p : t.parts(k)) s += fmt::format("{}{{{}}}", s.empty() ? "" : " + ", column_words(t.columns(p)));
    return t.is_leaf(k) ? fmt::format("column {}", t.node(k).column) : s;
}

}  // namespace

int Tree::leaf(int column) {
    nodes_.push_back({column, 0, 0, 1});
    return static_cast<int>(nodes_.size()) - 1;
}

int Tree::join(int a, int b) {
    if (a == none) return b;
    if (b == none) return a;
    const int both[] = {a, b};
    return join(both);
}

int Tree::join(std::span<const int> parts) {
    Node n{none, static_cast<int>(parts_.size()), static_cast<int>(parts.size()), 0};
    for (const int p : parts) n.leaves += node(p).leaves;
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    nodes_.push_back(n);
    return static_cast<int>(nodes_.size()) - 1;
}

bool Tree::binary() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.column != none || n.count == 2; });
}

std::vector<int> Tree::columns(int k) const {
    std::vector<int> out, open{k};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        if (is_leaf(at)) out.push_back(node(at).column);
        for (const int p : parts(at)) open.push_back(p);
    }
    std::sort(out.begin(), out.end());
    return out;
}

float Tree::sum(std::span<const float> x, bool fma) const {
    std::vector<float> value(nodes_.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const Node& n = nodes_[k];
        if (n.column != none) {
            const float v = x[static_cast<std::size_t>(n.column)];
            value[k] = v * v;
            continue;
        }
        const auto p = parts(static_cast<int>(k));
        float s = value[static_cast<std::size_t>(p[0])];
        for (std::size_t j = 1; j < p.size(); ++j) {
            const int from = p[j], first = p[0];
            const float other = value[static_cast<std::size_t>(from)];
            const auto folded = [&](int leaf_node, float partial) {
                const float v = x[static_cast<std::size_t>(node(leaf_node).column)];
                return std::fma(v, v, partial);
            };
            if (fma && node(from).column != none) s = folded(from, s);
            else if (fma && j == 1 && node(first).column != none) s = folded(first, other);
            else s += other;
        }
        value[k] = s;
    }
    return root == none ? 0.0f : value[static_cast<std::size_t>(root)];
}

std::vector<std::uint64_t> Tree::hashes() const {
    std::vector<std::uint64_t> h(nodes_.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const Node& n = nodes_[k];
        std::uint64_t s = n.column != none ? static_cast<std::uint64_t>(n.column) + 0x9e3779b97f4a7c15u : 0;
        for (const int p : parts(static_cast<int>(k))) s += mixed(h[static_cast<std::size_t>(p)] + 0x632be59bd9b4e019u);
        h[k] = mixed(s);
    }
    return h;
}

std::string column_words(std::span<const int> c) {
    const auto list = [](std::span<const int> some) { return fmt::format("{}", fmt::join(some, ", ")); };
    if (c.empty()) return "none";
    if (c.size() <= 4) return list(c);
    const int step = c[1] - c[0];
    std::size_t run = 1;
    while (run < c.size() && c[run] - c[run - 1] == step) ++run;
    if (run == c.size()) return step == 1 ? fmt::format("{} to {}", c.front(), c.back()) : fmt::format("{} to {} by {}", c.front(), c.back(), step);
    return fmt::format("{} ... {}, {} columns", list(c.first(3)), c.back(), c.size());
}

TreeDifference compare(const Tree& a, const Tree& b, const std::string& a_name, const std::string& b_name) {
    if (a.root == Tree::none || b.root == Tree::none) return {a.root == b.root, "one of them adds nothing"};
    const auto ha = a.hashes(), hb = b.hashes();
    int x = a.root, y = b.root;
    const auto same = [&](int p, int q) { return ha[static_cast<std::size_t>(p)] == hb[static_cast<std::size_t>(q)]; };
    if (same(x, y)) return {};
    for (;;) {  // as long as one pair of parts differs and covers the same columns, it is in there
        int deeper_x = Tree::none, deeper_y = Tree::none, differ = 0;
        for (const int p : a.parts(x)) {
            const auto of_p = a.columns(p);
            for (const int q : b.parts(y))
                if (b.node(q).leaves == a.node(p).leaves && b.columns(q) == of_p && !same(p, q)) ++differ, deeper_x = p, deeper_y = q;
        }
        const auto matched = [&] {
            std::size_t n = 0;
            for (const int p : a.parts(x))
                for (const int q : b.parts(y)) n += a.columns(p) == b.columns(q);
            return n == a.parts(x).size() && n == b.parts(y).size();
        };
        if (differ == 0 || !matched()) break;
        x = deeper_x, y = deeper_y;
    }
    return {false, fmt::format("over columns {}: {} adds {}; {} adds {}", column_words(a.columns(x)), a_name, part_words(a, x), b_name, part_words(b, y))};
}

}  // namespace ulpgate
