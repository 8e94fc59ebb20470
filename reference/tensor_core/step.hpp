// What one tensor-core instruction does to one element of its result: d = c + sum of a_k b_k over a group of columns.
//
// It is no sum of rounded additions. The exact products and c are aligned to the largest exponent among them, each
// magnitude is cut off below `fraction_bits`, the integers are added exactly, and the sum is cut to f32 (towards zero).
// A product's exponent is e_a + e_b, its significand in [1, 4) is not normalised first; zeros take no part.
// Sources: F. A. Khattak, M. Mikaitis, arXiv 2512.07004; X. Li et al., arXiv 2511.10909. Recorded results of an A100 and
// an H100 stand in recorded/ (LICENCE there).
#pragma once
#include <span>
#include <string_view>

#include "reference/formats/format.hpp"

namespace ulpgate {

struct TensorCore {
    std::string_view name;
    int group;          // columns a step, of 16-bit inputs
    int fraction_bits;  // kept below the largest exponent
    // Of the exponent that the terms are aligned to. Only sums of subnormal size depend on it; sources differ (-126).
    int least_exponent;
    int kept_bits = 23;  // of the sum's fraction: e4m3 inputs keep 13 on Ada and Hopper
};
inline constexpr TensorCore ampere{"ampere", 8, 24, -132};  // Ada as well: compute capability 8.x
inline constexpr TensorCore hopper{"hopper", 16, 25, -133};  // Blackwell B200 as well

// One step. a and b: words of F, equally many, at most `core.group`; fewer: the rest is 0. An Inf or NaN among the
// factors, the products or c gives what IEEE 754 gives in any order (a NaN is 0x7fffffff); +0 if no term is left; a sum
// below f32's range is cut to a zero of its sign (no recorded vector shows which zero hardware gives).
template <class F>
float tensor_core_step(const TensorCore& core, std::span<const typename F::Word> a, std::span<const typename F::Word> b, float c);

// The groups one after the other, lowest columns first: mma.sync m16n8k16 is two steps on Ampere, one on Hopper.
template <class F>
float tensor_core_dot(const TensorCore& core, std::span<const typename F::Word> a, std::span<const typename F::Word> b, float c);

}  // namespace ulpgate
