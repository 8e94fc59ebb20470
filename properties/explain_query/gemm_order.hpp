// The order of a projection's sums, told from outside by masks: M at one column, -M at another, a unit at a third, zeros elsewhere.
// The sum is the unit iff the third joins after the other two have met (NUMERICS.md 6); never, where all three are added in one
// step: a tensor core's group. Masks are rows of the matrix, so that a call asks as many as it has outputs; every column of the
// token is one.
#pragma once
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/order/triples.hpp"
#include "reference/query/path.hpp"

namespace ulpgate {

struct GemmOrder {
    std::string stage;               // "q_a_proj", "q_b_proj", "head"
    std::int64_t columns = 0;        // K
    std::int64_t asked = 0, probes = 0, calls = 0;  // columns that were asked about
    Tree tree;                       // over those
    std::string words;               // the order, or why it does not show
    std::vector<std::string> names;  // orders of that tree: "lanes:8x4"
    int group = 0;                   // columns a step, where many are added at once
};

// Of one token. sizes: of the op; most: columns asked about, from the beginning, the middle and the end.
std::vector<GemmOrder> gemm_orders(Subject&, std::size_t entry, const Op&, const Contract&, const Sizes&, int most = 512);

// Restatements whose sums have these orders, to be held against outputs; named orders, or tensor cores where groups were seen.
std::vector<QueryModel> sum_models(const Contract&, const std::vector<GemmOrder>&);

// "groups of 8 columns, each added to the sum so far in one step, in the order of the columns"; "" where the tree is none of that.
std::string group_words(const Tree&, int& group);

}  // namespace ulpgate
