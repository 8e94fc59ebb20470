#include "reference/stages/contributions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpgate {

void Contributions::add(std::span<const double> ulps, std::int64_t row, std::int64_t col) {
    double total = 0;
    for (const double c : ulps) total += c;
    for (std::size_t s = 0; s < of_.size(); ++s) {
        auto& of = of_[s];
        const double size = std::fabs(ulps[s]);
        of.square += size * size;
        of.signed_sum += ulps[s];
        of.with_total += ulps[s] * total;
        if (size > of.worst || of.worst_row < 0) of.worst = size, of.worst_row = row, of.worst_col = col;
        ++of.by_size[size > 0 ? std::max(smallest_size, std::ilogb(size)) : smallest_size];
    }
    total_square_ += total * total;
    total_sum_ += total;
    total_worst_ = std::max(total_worst_, std::fabs(total));
    ++elements_;
}

void Contributions::add_row(std::span<const double> ulps32) {
    ++rows_;
    for (std::size_t s = 0; s < ulps32.size(); ++s) {
        of_[s].square32 += ulps32[s] * ulps32[s];
        of_[s].worst32 = std::max(of_[s].worst32, std::fabs(ulps32[s]));
    }
}

std::vector<StageShare> Contributions::shares() const {
    std::vector<StageShare> out;
    const auto n = static_cast<double>(std::max<std::int64_t>(elements_, 1)), rows = static_cast<double>(std::max<std::int64_t>(rows_, 1));
    for (const auto& of : of_)
        out.push_back({std::sqrt(of.square / n), of.worst, of.signed_sum / n, std::sqrt(of.square32 / rows), of.worst32,
                       total_square_ > 0 ? of.with_total / total_square_ : std::numeric_limits<double>::quiet_NaN(), of.worst_row, of.worst_col, of.by_size});
    return out;
}

double Contributions::rms_ulp() const { return elements_ ? std::sqrt(total_square_ / static_cast<double>(elements_)) : 0; }
double Contributions::worst_ulp() const { return total_worst_; }
double Contributions::bias_ulp() const { return elements_ ? total_sum_ / static_cast<double>(elements_) : 0; }

}  // namespace ulpgate
