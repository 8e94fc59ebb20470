#include "properties/order/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace ulpgate {
namespace {

// A partial sum: a column, and columns added to it one at a time.
struct Partial {
    std::vector<int> columns;  // in the order of the additions; the first two have none
};

// The tree over partial sums, those numbered by their first column.
struct Reduced {
    std::vector<Partial> partials;
    Tree tree;
};

bool serial(const Tree& t, int k, std::vector<int>& columns) {
    for (;;) {
        if (t.is_leaf(k)) {
            columns.push_back(t.node(k).column);
            std::reverse(columns.begin(), columns.end());
            if (columns.size() > 1 && columns[0] > columns[1]) std::swap(columns[0], columns[1]);
            return true;
        }
        const auto p = t.parts(k);
        if (p.size() != 2) return false;
        const int leaf = t.is_leaf(p[1]) ? 1 : t.is_leaf(p[0]) ? 0 : -1;
        if (leaf < 0) return false;
        columns.push_back(t.node(p[static_cast<std::size_t>(leaf)]).column);
        k = p[static_cast<std::size_t>(1 - leaf)];
    }
}

// Node k of t over partial sums; columns that follow the joined sums one at a time are the tail.
int reduce(const Tree& t, int k, std::vector<std::pair<int, std::vector<int>>>& found, Tree& out) {
    std::vector<int> columns;
    if (serial(t, k, columns)) {
        found.emplace_back(*std::min_element(columns.begin(), columns.end()), columns);
        return out.leaf(static_cast<int>(found.size()) - 1);
    }
    std::vector<int> parts;
    for (const int p : t.parts(k)) parts.push_back(reduce(t, p, found, out));
    return out.join(parts);
}

Tree relabelled(const Tree& t, const std::vector<int>& rank) {
    Tree out;
    for (std::size_t k = 0; k < t.size(); ++k) {
        const auto& n = t.node(static_cast<int>(k));
        if (n.column != Tree::none) out.leaf(rank[static_cast<std::size_t>(n.column)]);
        else out.join(t.parts(static_cast<int>(k)));
    }
    out.root = t.root;
    return out;
}

std::uint64_t root_hash(const Tree& t) { return t.hashes()[static_cast<std::size_t>(t.root)]; }

// Known ways to join n partial sums.
int in_order(Tree& t, std::vector<int> v) {
    int s = v[0];
    for (std::size_t k = 1; k < v.size(); ++k) s = t.join(s, v[k]);
    return s;
}
int halving(Tree& t, std::vector<int> v) {
    while (v.size() > 1) {
        const auto h = (v.size() + 1) / 2;
        for (std::size_t i = h; i < v.size(); ++i) v[i - h] = t.join(v[i - h], v[i]);
        v.resize(h);
    }
    return v[0];
}
int neighbours(Tree& t, std::vector<int> v) {
    while (v.size() > 1) {
        std::vector<int> next;
        for (std::size_t i = 0; i < v.size(); i += 2) next.push_back(i + 1 < v.size() ? t.join(v[i], v[i + 1]) : v[i]);
        v = std::move(next);
    }
    return v[0];
}

using Join = int (*)(Tree&, std::vector<int>);
struct Way {
    Join join;
    const char* words;
};
constexpr Way ways[] = {{in_order, "one after another"}, {halving, "by halving"}, {neighbours, "neighbours first"}};

// First groups, then the groups' sums: every `stride`-th, or `stride` in a row.
Tree two_steps(std::size_t n, std::size_t groups, bool strided, Join inner, Join outer) {
    Tree t;
    std::vector<int> leaves, sums;
    for (std::size_t k = 0; k < n; ++k) leaves.push_back(t.leaf(static_cast<int>(k)));
    const auto each = n / groups;
    for (std::size_t g = 0; g < groups; ++g) {
        std::vector<int> group;
        for (std::size_t k = 0; k < each; ++k) group.push_back(leaves[strided ? g + k * groups : g * each + k]);
        sums.push_back(inner(t, group));
    }
    t.root = outer(t, sums);
    return t;
}

std::string join_words(const Tree& reduced) {
    const auto n = static_cast<std::size_t>(reduced.node(reduced.root).leaves);
    const auto wanted = root_hash(reduced);
    for (const Way& w : ways) {
        if (root_hash(two_steps(n, 1, false, w.join, in_order)) == wanted) return fmt::format("joined {}", w.words);
    }
    for (std::size_t groups = 2; groups < n; ++groups) {
        if (n % groups) continue;
        for (const bool strided : {true, false})
            for (const Way& in : ways)
                for (const Way& out : ways)
                    if (root_hash(two_steps(n, groups, strided, in.join, out.join)) == wanted)
                        return fmt::format("{} sums of {} {} {}, these {} joined {}", groups, n / groups, strided ? fmt::format("that are {} apart", groups) : "neighbours", in.words,
                                           groups, out.words);
    }
    return "joined by another tree";
}

std::string list(const std::vector<Partial>& partials) {
    std::string s;
    for (std::size_t k = 0; k < partials.size() && k < 2; ++k) {
        auto c = partials[k].columns;
        const bool ascending = std::is_sorted(c.begin(), c.end());
        std::sort(c.begin(), c.end());
        s += fmt::format("{}{}{}", s.empty() ? "" : "; ", column_words(c), ascending ? "" : " (not in their order)");
    }
    return s + (partials.size() > 2 ? "; ..." : "");
}

int height(const Tree& t) {
    std::vector<int> h(t.size());
    for (std::size_t k = 0; k < t.size(); ++k)
        for (const int p : t.parts(static_cast<int>(k))) h[k] = std::max(h[k], h[static_cast<std::size_t>(p)] + 1);
    return h[static_cast<std::size_t>(t.root)];
}

}  // namespace

std::string order_words(const Tree& t) {
    if (t.root == Tree::none) return "no columns";
    std::vector<int> all;
    if (serial(t, t.root, all)) {
        if (std::is_sorted(all.begin(), all.end())) return "one serial sum, in the order of the columns";
        return std::is_sorted(all.rbegin(), all.rend() - 2) ? "one serial sum, from the last column to the first" : "one serial sum, not in the order of the columns";
    }
    // columns that come after the partial sums were joined
    int top = t.root;
    std::vector<int> tail;
    for (;;) {
        const auto p = t.parts(top);
        if (p.size() != 2 || (!t.is_leaf(p[0]) && !t.is_leaf(p[1]))) break;
        const std::size_t leaf = t.is_leaf(p[1]) ? 1 : 0;
        tail.push_back(t.node(p[leaf]).column);
        top = p[1 - leaf];
    }
    std::vector<std::pair<int, std::vector<int>>> found;
    Tree raw;
    raw.root = reduce(t, top, found, raw);
    std::vector<std::size_t> by_first(found.size());
    for (std::size_t k = 0; k < by_first.size(); ++k) by_first[k] = k;
    std::sort(by_first.begin(), by_first.end(), [&](auto a, auto b) { return found[a].first < found[b].first; });
    std::vector<int> rank(found.size());
    std::vector<Partial> partials;
    for (std::size_t k = 0; k < by_first.size(); ++k) {
        rank[by_first[k]] = static_cast<int>(k);
        partials.push_back({found[by_first[k]].second});
    }
    std::string s = fmt::format("{} partial sums, each serial ({}); {}; {} additions deep", partials.size(), list(partials), join_words(relabelled(raw, rank)), height(t));
    if (!tail.empty()) {
        std::sort(tail.begin(), tail.end());
        s += fmt::format("; then columns {} one at a time", column_words(tail));
    }
    if (!t.binary()) s += "; some nodes add more than two terms at once";
    return s;
}

}  // namespace ulpgate
