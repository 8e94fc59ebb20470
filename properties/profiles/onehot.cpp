#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {
namespace {

constexpr std::int64_t teeth_apart = 64;  // that many combs cover every column

// Row 0 and 1: the last and the first column alone. Then by turns a comb (columns row/2, row/2 + 64, ...) and
// one column of its own. A sum of so few squares is nearly exact in every order: a column that is lost or
// counted twice shows.
void fill(const RowRequest& q, std::span<float> x) {
    Rng r = q.rng;
    const auto d = static_cast<std::int64_t>(x.size());
    const auto value = [&] { return build::either_sign(r, build::scaled(build::significand(r, 8), -7)); };
    std::fill(x.begin(), x.end(), 0.0f);
    if (q.row % 2 == 0 && q.row >= 2) {
        for (std::int64_t j = q.row / 2 % teeth_apart % d; j < d; j += teeth_apart)
            x[static_cast<std::size_t>(j)] = value();
        return;
    }
    const std::int64_t alone = q.row == 0 ? d - 1
                               : q.row == 1
                                   ? 0
                                   : static_cast<std::int64_t>(r.below(static_cast<std::uint32_t>(d)));
    x[static_cast<std::size_t>(alone)] = value();
}

}  // namespace

PIECE(Profile, onehot) = {
    "onehot", "one column alone, and combs of every 64th: each column stands out in some row",
    fill,     nullptr,
    false,    [](std::int64_t d) { return std::min<std::int64_t>(d, teeth_apart) * 2 + 2; },
    "random"};

}  // namespace ulpgate::profiles
