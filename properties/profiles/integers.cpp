#include "properties/profiles/integers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "properties/profiles/build.hpp"

namespace ulpgate::build {

std::int64_t integer_root(std::int64_t n) {
    return static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));  // IEEE: one rounding, and n < 2^52
}

std::vector<std::int32_t> with_sum_of_squares(Rng& r, std::size_t n, std::int64_t total) {
    constexpr std::size_t greedy = 12;  // columns at the end that take the largest square that fits
    std::vector<std::int32_t> m(n);
    std::int64_t left = total;
    for (std::size_t j = 0; j < n; ++j) {
        const auto columns = static_cast<std::int64_t>(n - j);
        const std::int64_t fits = std::min<std::int64_t>(most_integer, integer_root(left));
        std::int64_t v = fits;
        if (j + greedy < n) {  // uniform up to sqrt(3 mean), whose mean square is the mean that is left
            const std::int64_t top = integer_root(3 * left / columns + 1);
            v = std::min<std::int64_t>(fits, r.below(static_cast<std::uint32_t>(top + 1)));
        }
        left -= v * v;
        m[j] = static_cast<std::int32_t>(r.next() >> 63 ? -v : v);
    }
    for (std::size_t j = n; j > 1; --j) std::swap(m[j - 1], m[r.below(static_cast<std::uint32_t>(j))]);
    return m;
}

std::vector<std::int32_t> integers(Rng& r, std::size_t n) {
    std::vector<std::int32_t> m(n);
    std::int64_t left = exact_sum - 1;
    for (std::size_t j = 0; j < n; ++j) {
        // Half the columns that are left could all be as large as this one.
        const std::int64_t top = std::min<std::int64_t>(
            most_integer, integer_root(std::min(left, 2 * left / static_cast<std::int64_t>(n - j))));
        m[j] = static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(2 * top + 1))) -
               static_cast<std::int32_t>(top);
        left -= std::int64_t{m[j]} * m[j];
    }
    return m;
}

void write(std::span<const std::int32_t> m, int k, std::span<float> x) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = scaled(m[j], k);
}

}  // namespace ulpgate::build
