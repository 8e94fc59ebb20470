// A summation order as the tree of its additions: leaves are columns, an inner node adds its parts. A binary node is one
// rounded f32 addition; a node of more parts stands for an addition whose inner order cannot be told.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ulpgate {

class Tree {
  public:
    static constexpr int none = -1;  // an empty partial sum: adding it changes nothing
    struct Node {
        int column = none;  // of a leaf
        int from = 0, count = 0;
        int leaves = 1;
    };

    int leaf(int column);
    int join(int a, int b);
    int join(std::span<const int> parts);  // parts come before the node: nodes are in post-order
    int root = none;

    const Node& node(int k) const { return nodes_[static_cast<std::size_t>(k)]; }
    std::span<const int> parts(int k) const {
        const Node& n = node(k);
        return std::span(parts_).subspan(static_cast<std::size_t>(n.from), static_cast<std::size_t>(n.count));
    }
    bool is_leaf(int k) const { return node(k).column != none; }
    std::size_t size() const { return nodes_.size(); }
    bool binary() const;
    std::vector<int> columns(int k) const;  // ascending

    // The f32 sum of squares; with fma a column that joins a partial sum is folded in by one. x covers every column.
    float sum(std::span<const float> x, bool fma) const;
    // Of every node: equal iff the subtrees are, whatever the order of a node's parts.
    std::vector<std::uint64_t> hashes() const;

  private:
    std::vector<Node> nodes_;
    std::vector<int> parts_;
};

// Same additions? Where not: the highest pair of nodes over the same columns whose parts differ, in words.
struct TreeDifference {
    bool equal = true;
    std::string where;  // "columns 0, 8, ... 1528 (192): A adds {...} and {...}; B adds ..."
};
TreeDifference compare(const Tree& a, const Tree& b, const std::string& a_name, const std::string& b_name);

// "0, 64, 128 ... 1472 (24 columns)"
std::string column_words(std::span<const int> ascending);

struct Grow {  // the accumulator that records an order's tree; keep: empty, or which columns are leaves
    using S = int;
    Tree* tree;
    std::span<const char> keep;
    S zero() const { return Tree::none; }
    S mac(S s, std::size_t i) const {
        return !keep.empty() && !keep[i] ? s : tree->join(s, tree->leaf(static_cast<int>(i)));
    }
    S add(S a, S b) const { return tree->join(a, b); }
};

}  // namespace ulpgate
