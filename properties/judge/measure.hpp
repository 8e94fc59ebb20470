// How far a row's outputs are from real arithmetic, rounded once.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "properties/judge/view.hpp"
#include "properties/judge/judge.hpp"
#include "properties/judge/rows.hpp"
#include "reference/admissible/row_set.hpp"

namespace ulpgate::judging {

// The gain's values as the contract uses them, and the type that holds them all.
struct GainValues {
    Type type;
    std::vector<float> w;
};
GainValues gain_values(const Contract&, std::span<const float> stored);

class Measurer {
  public:
    Measurer(const Contract&, std::span<const float> w_stored, double eps);
    // The loaded row. fitted: the scalars that give it; not any: not known. overflowed: f32's own limit,
    // counted without its error.
    void row(const Rows&, std::int64_t row, const RowSet& fitted, By, bool overflowed);
    // Adds to `outside`: outputs that no member of the claim allows at their element.
    void outside(const Rows&, std::span<const RowView> claim);
    Measure measure;

  private:
    template <class F>
    void elements(const Rows&, std::int64_t row, std::span<const float> x, double r);
    Contract contract_;
    double eps_;
    GainValues gain_;
    std::vector<std::uint32_t> ideal_;
    std::vector<double> fractions_;  // of the row in work
    double row_worst_ulp_ = 0;
};

}  // namespace ulpgate::judging
