#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {
namespace {

constexpr std::int64_t teeth_apart = 16;  // that many combs hold every column
constexpr std::int64_t alone = 16;        // rows of one column

// Combs (columns i, i + 16, ...), then the last column alone, the first, and any; again with other values. A
// sum of few squares is nearly exact in every order: a column that is lost or counted twice shows.
void fill(const RowRequest& q, std::span<float> x) {
    Rng r = q.rng;
    const auto d = static_cast<std::int64_t>(x.size()), combs = std::min(d, teeth_apart),
               row = q.row % (combs + alone);
    const auto value = [&] { return build::either_sign(r, build::scaled(build::significand(r, 8), -7)); };
    std::fill(x.begin(), x.end(), 0.0f);
    if (row < combs) {
        for (std::int64_t j = row; j < d; j += teeth_apart) x[static_cast<std::size_t>(j)] = value();
        return;
    }
    const auto any = static_cast<std::int64_t>(r.below(static_cast<std::uint32_t>(d)));
    const std::int64_t at = row == combs ? d - 1 : row == combs + 1 ? 0 : any;
    x[static_cast<std::size_t>(at)] = value();
}

}  // namespace

PIECE(Profile, onehot) = {
    "onehot", "one column alone, and combs of every 16th: each column stands out in some row",
    fill,     nullptr,
    false,    [](std::int64_t d) { return std::min(d, teeth_apart) + alone; },
    "random"};

}  // namespace ulpgate::profiles
