// A tree from its rooted triples: for columns i, j, k the kernel says which two meet first. All columns are split about a
// pivot at a time, the parts in the same call: about 2 n log2(n) probes for n columns, of any shape.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "properties/order/reading.hpp"
#include "reference/orders/tree.hpp"

namespace ulpgate {

using Three = std::array<int, 3>;  // columns

struct Answer {
    Three columns;
    int last;  // as TripleAsker::last
};

// Who answers for a kernel.
struct TripleAsker {
    virtual ~TripleAsker() = default;
    // Of each triple the place of the one that joins last; 3: all meet at one node; -1: neither. thorough: asked in all three
    // roles. Empty where the kernel failed.
    virtual std::vector<int> last(std::span<const Three>, bool thorough) = 0;
    virtual std::vector<int> odd(std::span<const int> columns) = 0;  // those that do not enter the sum once, or not alone
    virtual bool failed() const = 0;
    std::int64_t probes = 0;
};

struct TreeFinding {
    Tree tree;
    std::int64_t probes = 0;
    std::vector<int> odd_columns;  // do not enter the sum once, or not alone
    std::int64_t multiway = 0;     // triples that meet at one node
    bool guessed = false;          // one of the guesses, certified
    std::int64_t strange = 0;      // answers that are neither, or that no tree gives
    bool ok() const { return odd_columns.empty() && strange == 0; }
};

// Trees that fit some answers. What a guess saves is the search: one that is right is certified by a triple a node.
using Guess = std::function<std::vector<Tree>(std::span<const Answer>)>;

// columns: ascending, at least two.
TreeFinding find_tree(TripleAsker&, std::span<const int> columns, const Guess& = {});
TreeFinding find_tree(Prober&, const Reading&, std::span<const int> columns, const Guess& = {});

// For each inner node of a binary tree but the root: a column of the node beside it, which joins last, and one of each of its own
// two parts. No other tree gives all of these. (Of the columns below a node, those triples that lie below it connect the two of
// each inner node: so its left part is connected, its right part is, and nothing connects the two. A tree that gives the triples
// must part its columns between connected sets, so it parts them like this one; the same again in both parts. This is BUILD of
// Aho, Sagiv, Szymanski and Ullman, 1981, with one possible outcome.)
std::vector<Three> certificate(const Tree&);

Probe triple_probe(const Reading&, int i, int j, int k);  // M at i, h at j and k; looks at j

}  // namespace ulpgate
