// A kernel's statements to a program: opcodes looked up, operands checked against them, registers placed.
#pragma once
#include "impls/cuda/ptx/machine.hpp"
#include "impls/cuda/ptx/module.hpp"

namespace ulpgate::ptx {

// How ptxas may have fused a product with the sum that follows it: not at all, or, where both operands of the sum are
// products that could be, the first or the second.
enum class Fuse : std::uint8_t { none, first, second };

struct Pair {  // mul.f32 and the add.f32 or sub.f32 that uses its product
    std::size_t mul, add;
};
// What ptxas 13 may contract: mul.f32 whose every use is an add.f32 or sub.f32, none with a named rounding, no branch or label
// between. (cvt, ld and other instructions may stand between.)
std::vector<Pair> contractable(const KernelText&);
// The kernel as ptxas would have contracted it.
KernelText contracted(const KernelText&, Fuse);
// The members that can differ: {none} where nothing is contractable, {none, first} without a sum of two products.
std::vector<Fuse> ensemble(const KernelText&);
// Approximate instructions in it.
std::size_t approximate_count(const KernelText&);

// Throws Error: an opcode that is not run, an operand that does not fit, with the line.
Program decode(const Module&, const KernelText&);

}  // namespace ulpgate::ptx
