// Rows of integers m times one power of two with the sum of m^2 below 2^24: every square and every partial
// sum is exact in f32, in every order, fused or not. Nothing is left of the order: such rows pin r as far as
// the contract's root does.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "properties/profiles/build.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::build {

inline constexpr std::int64_t exact_sum = std::int64_t{1} << 24;  // sums of squares stay below it
inline constexpr int most_integer = 255;                          // |m|: exact in bf16 and fp16

// floor(sqrt(n)), 0 <= n < 2^52.
std::int64_t integer_root(std::int64_t n);

// n random |m| whose squares sum to `total` (< 2^24), each at most most_integer, in random places with random
// signs; what cannot be reached with so few columns is left off the total. At least about 12 columns reach
// any total.
std::vector<std::int32_t> with_sum_of_squares(Rng&, std::size_t n, std::int64_t total);

// n random m, zeros among them, sum of squares below 2^24.
std::vector<std::int32_t> integers(Rng&, std::size_t n);

// The exponent limited so that every such integer times 2^k is a finite value of the type, exact but for
// f32's and bf16's deepest subnormals.
constexpr int clamp_for_integers(int k, Type t, std::size_t d) {
    const Exponents all = scales(t, d);
    return clamp(k, {t == Type::fp16 ? -24 : -66, all.hi - 8});
}

// Integers times 2^k.
void write(std::span<const std::int32_t> m, int k, std::span<float> x);

}  // namespace ulpgate::build
