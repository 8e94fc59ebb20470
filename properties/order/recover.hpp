// The order in which a kernel sums, told from outside: read through r (reading), a tree from rooted triples (triples), a named
// order that has the same tree, and random rows that the whole restatement must give bit for bit.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "properties/order/triples.hpp"

namespace ulpgate {

struct OrderFinding {
    enum class Kind {
        tree,        // recovered, see tree
        regular,     // recovered on some columns; a named order that fits them gives the rest
        sampled,     // recovered on some columns; no named order fits
        wider,       // the sum keeps more bits than f32: its order does not show
        not_a_tree,  // answers that no tree of f32 additions gives
        unreadable   // one ulp of the sum does not show in any output that was tried
    };
    Kind kind = Kind::unreadable;
    std::string why;           // in words, for the last three
    std::string words;         // the order in words
    Tree tree;                 // over all columns (tree, regular) or those probed
    std::vector<int> columns;  // probed
    std::int64_t d = 0, probes = 0, calls = 0;
    std::int64_t multiway = 0;

    std::vector<std::string> models;  // texts that give every row below, the simplest first
    std::int64_t replayed = 0, equal = 0;  // random rows, of them given bit for bit by the first model (or the tree itself)
    std::int64_t telling = 0;  // of them rows where another order (sequential, or pairwise) gives other outputs
    bool by_tree = false;      // no named order: rows were replayed through the tree itself
    bool fma_told = false, fma = false;
    std::int64_t differing_row = -1;  // of the random rows, the first that is not given
    std::vector<float> row;           // one of the random rows: the differing one, else a telling one
    std::optional<Reading> reading;   // how it was read
    std::vector<Spot> example;        // one probe, for a replay
};

struct OrderOptions {
    int most_columns = 2048;  // all of them are probed up to here
    int sampled_columns = 512;
    int rows = 64;  // random rows to replay
    std::vector<Form> also;  // forms with sums wider than f32, tried where the sum is
};

OrderFinding recover_order(Prober&, const std::vector<Form>& forms, const OrderOptions& = {});

// Random rows whose sums depend on their order: wide exponents, spikes, absorption.
std::vector<float> order_rows(Type, std::int64_t d, int rows, std::uint64_t seed);

}  // namespace ulpgate
