// A smaller case that still fails in the same way: fewer rows, defaults for every key, fewer columns, fewer and plainer
// values. What is left is a segment program: it does not depend on a profile.
#pragma once
#include <functional>

#include "properties/cases/case.hpp"

namespace ulpgate::fuzzing {

// Whether the case fails as the first one did. Called for cases that can be made only.
using StillFails = std::function<bool(const Case&)>;

struct Minimised {
    Case smallest;
    int tried = 0;
};
// row: the one that fails, or -1. d_min and d_divisor: what the kernel takes. At most `tries` calls.
Minimised minimise(const Case&, std::int64_t row, std::int64_t d_min, std::int64_t d_divisor, int tries, const StillFails&);

// The case with the words of one row of x (and of the residual, and of the gain) written out: fill and runs.
Case written_out(const Case&, const Tensors&, std::int64_t row);
// Words as a program: the commonest is the fill, runs of others are segments.
Program program_of(const std::vector<std::uint32_t>& words);

}  // namespace ulpgate::fuzzing
