// What a contract allows at each element of one row: f(x_j, w_j, r) over the statistic set. f is monotone in
// r, so the ends of the interval bound it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "properties/judge/hypothesis.hpp"

namespace ulpgate::judging {

// One row under one hypothesis.
struct RowView {
    const Hypothesis* hypothesis;
    const StatisticSet* set;
    std::span<const float> x, w;  // x: what is normalised
};

// f at one value of the row's scalar, columns [from, from + out.size()).
void apply_at(const RowView&, float scalar, std::size_t from, std::span<float> out);

// Order of floats in which -0 stands below +0; not for NaN.
std::int32_t position(float);

class Envelope {
  public:
    explicit Envelope(const RowView&);
    bool holds(std::size_t j, float y) const;
    // The smallest and largest allowed value at j; NaN where only NaN is allowed.
    float lo(std::size_t j) const;
    float hi(std::size_t j) const;

  private:
    std::vector<std::vector<float>> interval_,
        points_;  // f at the ends; f at 0, inf or NaN where they are allowed
};

}  // namespace ulpgate::judging
