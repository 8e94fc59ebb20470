#include "properties/order/integers.hpp"

#include <algorithm>
#include <cmath>

namespace ulpgate {

bool integer_row(Rng& rng, double top, std::span<float> x, std::uint32_t j, double m, double target) {
    const auto d = static_cast<std::uint32_t>(x.size());
    std::fill(x.begin(), x.end(), 0.0f);
    x[j] = static_cast<float>(m);
    double left = target - m * m;
    for (std::uint32_t k = 1; k < d && left > 0; ++k) {
        const double highest = std::min(std::floor(std::sqrt(left)), top);
        double v = highest;
        if (k < d / 2 && highest > 2) v = 1 + rng.below(static_cast<std::uint32_t>(std::min(highest, 1 + 3 * std::sqrt(left / d))));
        x[(j + k) % d] = static_cast<float>(rng.below(2) ? v : -v);
        left -= v * v;
    }
    return left == 0;
}

}  // namespace ulpgate
