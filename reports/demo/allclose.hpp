// The usual test of a kernel, for comparison: is every output near a float32 computation of the formula?
#pragma once
#include <cstdint>

#include "impls/subject/subject.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

struct AllClose {
    bool close = true;           // |y - reference| <= atol + rtol |reference| everywhere (a NaN is not close)
    double largest = 0;          // |y - reference| / (atol + rtol |reference|) at its largest: above 1 fails
    std::int64_t elements = 0;
};

// reference: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 106-111, in float32 throughout:
// w * (x * (1 / sqrt(mean(x^2) + eps))), the mean accumulated in order.
AllClose all_close(const Tensors&, const Outcome&, double atol, double rtol);

}  // namespace ulpgate
