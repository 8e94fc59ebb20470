// RMSNorm restated for the kernels' tests: one row in the plainest C++, the sum in a given tree, each
// rounding by reference/formats. It shares no line with the kernels.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/contract/contract.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate::testing {

using Words = std::vector<std::uint32_t>;

struct Tree {
    int lanes = 1, accumulators = 1;  // element j goes to accumulator j / lanes, lane j % lanes, both cyclic
    bool fma = true;
};

struct RestatedRow {
    Words y, residual_out;
};

inline float sum_of_squares(const std::vector<float>& z, Tree tree) {
    const auto lanes = static_cast<std::size_t>(tree.lanes),
               step = lanes * static_cast<std::size_t>(tree.accumulators);
    std::vector<float> s(step, 0.0f);
    for (std::size_t j = 0; j < z.size(); ++j) {
        float& p = s[j % step];
        p = tree.fma ? std::fma(z[j], z[j], p) : p + z[j] * z[j];
    }
    for (std::size_t j = lanes; j < step; ++j) s[j % lanes] += s[j];
    for (std::size_t half = lanes / 2; half; half /= 2)
        for (std::size_t i = 0; i < half; ++i) s[i] += s[i + half];
    return s[0];
}

// residual may be empty. The contract's maps are cast_first and f32_gain as (x * r) * w.
inline RestatedRow restated(const Contract& c, Tree tree, const Words& x, const Words& w,
                            const Words& residual, double eps) {
    std::vector<float> z(x.size());
    RestatedRow out;
    for (std::size_t j = 0; j < x.size(); ++j) {
        z[j] = decode(c.x, x[j]);
        if (c.residual == Residual::none) continue;
        z[j] += decode(c.res, residual[j]);
        out.residual_out.push_back(encode(c.res, z[j]));
        if (c.residual == Residual::rounded) z[j] = round_to(c.x, z[j]);
    }
    const float mean = sum_of_squares(z, tree) / static_cast<float>(x.size());
    const float r = 1.0f / std::sqrt(mean + static_cast<float>(eps));
    for (std::size_t j = 0; j < x.size(); ++j) {
        float n = z[j] * r;
        if (c.map == Map::cast_first) n = round_to(c.x, n);
        out.y.push_back(encode(c.y, n * decode(c.w, w[j])));
    }
    return out;
}

// Equal bits; which NaN is nobody's claim.
inline bool same(Type t, std::uint32_t a, std::uint32_t b) {
    return a == b || (std::isnan(decode(t, a)) && std::isnan(decode(t, b)));
}

}  // namespace ulpgate::testing
