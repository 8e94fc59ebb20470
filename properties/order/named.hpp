// Orders of the bank that add as a kernel answers: a few answers leave few of them, and most of those are one tree.
#pragma once
#include <span>
#include <vector>

#include "properties/order/triples.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {

struct NamedTree {
    Tree tree;
    std::vector<OrderChoice> orders;  // that have it, under all usual parameters; the simplest first
};
// Those that give the answers, on these columns of d.
std::vector<NamedTree> named_trees(std::span<const Answer>, std::span<const int> columns, std::int64_t d);
// Of the one of them that is this tree; none where it is not there.
std::vector<OrderChoice> orders_of(const Tree&, std::span<const NamedTree>);
// Of all that the bank has.
std::vector<OrderChoice> named_orders(const Tree&, std::span<const int> columns, std::int64_t d);

}  // namespace ulpgate
