// One row under one hypothesis: what the judge's parts hand to each other.
#pragma once
#include <span>
#include <vector>

#include "properties/judge/hypothesis.hpp"
#include "reference/admissible/element_set.hpp"

namespace ulpgate::judging {

struct RowView {
    const Hypothesis* hypothesis;
    const StatisticSet* set;
    std::span<const float> x, w;  // x: what is normalised

    bool divides() const { return hypothesis->piece->by == By::div; }
    RowView columns(std::size_t from, std::size_t n) const {
        return {hypothesis, set, x.subspan(from, n), w.empty() ? w : w.subspan(from, n)};
    }
    // f at one value of the row's scalar.
    void apply(float scalar, std::span<float> out) const {
        hypothesis->piece->apply(hypothesis->types, narrow_nearest, x, w, scalar, out);
    }
    std::vector<ElementSet> elements() const {
        std::vector<ElementSet> sets(x.size());
        element_sets(*hypothesis->piece, hypothesis->types, x, w, *set, sets);
        return sets;
    }
};

}  // namespace ulpgate::judging
