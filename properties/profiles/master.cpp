#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

// FAULTS.md, "Master probe": cast_first gives 3fc1 3fd5 in bf16, f32_gain 3fc2 3fd4, r rounded to bf16 3fc1
// 3fd3, both 3fc1 3fd4, truncation 3fc1 3fd2, whatever the order and the width. Row i is scaled by 2^(i mod
// 4): the same outputs.
PIECE(Profile, master) = {
    "master",
    "the tile [1, x] with one gain at which the orders of the gain, r in T and truncation differ",
    [](const RowRequest& q, std::span<float> x) {
        const float scale = static_cast<float>(1 << q.row % 4);
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = j % 2 ? master_probe(q.type).x * scale : scale;
    },
    nullptr,
    true,
    [](std::int64_t) { return std::int64_t{4}; },
    "master"};

}  // namespace ulpgate::profiles
