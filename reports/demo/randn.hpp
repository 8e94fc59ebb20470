// What a test usually draws: rows of a standard normal, gains near one.
#pragma once
#include <cstdint>

#include "reference/tensors/tensors.hpp"

namespace ulpgate {

// [rows, d] of N(0, 1) and gains of 1 + N(0, 1)/8, rounded to the contract's types.
Tensors randn(const Op&, const Contract&, std::int64_t rows, std::int64_t d, std::uint64_t seed);

}  // namespace ulpgate
