#include "properties/cases/yarn.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ulpgate {
namespace {

constexpr double theta = 50000, factor = 32, original = 4096, beta_fast = 1, beta_slow = 1;

// The pair that turns so many times over the original positions.
double pair_of(double turns, double rope) { return rope * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(theta)); }

}  // namespace

std::vector<float> yarn_frequencies(std::int64_t rope) {
    const auto n = static_cast<double>(rope);
    const double low = std::max(std::floor(pair_of(beta_fast, n)), 0.0);
    double high = std::min(std::ceil(pair_of(beta_slow, n)), n - 1);
    if (low == high) high += 0.001;
    std::vector<float> out;
    for (std::int64_t k = 0; k < rope / 2; ++k) {
        const auto own = static_cast<float>(1 / std::pow(theta, static_cast<double>(2 * k) / n)), stretched = static_cast<float>(1 / (factor * std::pow(theta, static_cast<double>(2 * k) / n)));
        const auto keep = 1 - static_cast<float>(std::clamp((static_cast<double>(k) - low) / (high - low), 0.0, 1.0));
        out.push_back(stretched * (1 - keep) + own * keep);
    }
    return out;
}

void yarn_angles(std::int64_t position, std::span<float> row) {
    const auto rope = static_cast<std::int64_t>(row.size());
    const auto f = yarn_frequencies(rope);
    std::fill(row.begin(), row.end(), 0.0f);
    for (std::size_t k = 0; k < f.size(); ++k) {
        const float angle = static_cast<float>(position) * f[k];
        row[k] = static_cast<float>(std::cos(static_cast<double>(angle)));
        row[f.size() + k] = static_cast<float>(std::sin(static_cast<double>(angle)));
    }
}

}  // namespace ulpgate
