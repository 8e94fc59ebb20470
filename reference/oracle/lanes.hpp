// L0 of the ladder: the same test as round_certain, four doubles at a time, for results in the normal range. Blocks with an
// element that it cannot decide are listed and left to the scalar levels.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/formats/format.hpp"

namespace ulpgate {

inline constexpr std::size_t lane_block = 32;  // elements

struct Rounding {  // of doubles to one format, as integer constants
    std::uint64_t k, half, min_normal, max_finite, rebias, sign_shift;
};

template <class F>
constexpr Rounding rounding_to() {
    constexpr std::uint64_t k = 53 - F::precision;
    return {.k = k,
            .half = std::uint64_t{1} << (k - 1),
            .min_normal = std::bit_cast<std::uint64_t>(static_cast<double>(F::decode(F::min_normal_word))),
            .max_finite = std::bit_cast<std::uint64_t>(static_cast<double>(F::decode(F::max_word))),
            .rebias = static_cast<std::uint64_t>(1023 - F::bias) << F::mantissa_bits,
            .sign_shift = static_cast<std::uint64_t>(64 - F::bits)};
}

struct LaneJob {
    const float* x;
    const float* w;      // null: no gain
    double r;            // fl(r)
    bool cast_first;
    Rounding first;      // of n (cast_first) or of w x r
    Rounding second;     // cast_first: of the exact w t
};

// y[0 .. blocks * lane_block). Writes the numbers of undecided blocks to `undecided` (room for `blocks`), returns how many.
std::size_t round_blocks(const LaneJob&, std::size_t blocks, std::uint32_t* y, std::uint32_t* undecided);

namespace portable {  // the same bits without AVX2
std::size_t round_blocks(const LaneJob&, std::size_t blocks, std::uint32_t* y, std::uint32_t* undecided);
}

}  // namespace ulpgate
