// The mean of a row, in the model's order, and what is left when it is taken off.
#pragma once
#include <vector>

#include "reference/model/model.hpp"

namespace ulpgate::faults {

inline void centre(const Model& m, std::span<float> x) {
    const float mean = m.order.order->terms({x.data()}, x.size(), m.order.p) / static_cast<float>(x.size());
    for (float& v : x) v -= mean;
}

inline float centred_sum(const Model& m, std::span<const float> x) {
    std::vector<float> centred(x.begin(), x.end());
    centre(m, centred);
    return m.squares_sum(centred, m.contract.sq, m.contract.acc);
}

}  // namespace ulpgate::faults
