// A tree from its rooted triples: for columns i, j, k the kernel says which two meet first. All columns are split about a
// pivot at a time, the parts in the same call: about 2 n log2(n) probes for n columns, of any shape.
#pragma once
#include <span>
#include <vector>

#include "properties/order/reading.hpp"
#include "reference/orders/tree.hpp"

namespace ulpgate {

struct Triple {  // j and k meet before i?
    int i, j, k;
    bool first;
};

struct TreeFinding {
    Tree tree;
    std::int64_t probes = 0;
    std::vector<int> odd_columns;  // do not enter the sum once, or not alone
    std::int64_t multiway = 0;     // triples that meet at one node
    std::int64_t strange = 0;      // answers that are neither, or that no tree gives
    std::vector<Triple> checks;    // random triples over all columns of the tree, each asked in its three roles
    bool ok() const { return odd_columns.empty() && strange == 0; }
};

// columns: ascending, at least two.
TreeFinding find_tree(Prober&, const Reading&, std::span<const int> columns);

Probe triple_probe(const Reading&, int i, int j, int k);  // M at i, h at j and k; looks at j

}  // namespace ulpgate
