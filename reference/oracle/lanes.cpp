#include "reference/oracle/lanes.hpp"

#include <cstring>

#include "reference/simd/dispatch.hpp"
#include "reference/oracle/ladder.hpp"

namespace ulpgate {
namespace {

using F4 = float __attribute__((vector_size(16)));
using W4 = std::uint32_t __attribute__((vector_size(16)));
using D4 = double __attribute__((vector_size(32)));
using U4 = std::uint64_t __attribute__((vector_size(32)));
using I4 = std::int64_t __attribute__((vector_size(32)));

constexpr std::uint64_t sign = std::uint64_t{1} << 63;

// Bits of |v| that are neither zero nor a normal finite value of the format. All are below 2^63, so signed compares do.
ULPGATE_INLINE void flag_outside(const I4& a, const Rounding& f, I4& bad) {
    bad |= (a != 0) & ((a < static_cast<std::int64_t>(f.min_normal)) | (a > static_cast<std::int64_t>(f.max_finite)));
}

// Doubles rounded to the format, as doubles, ties away (they are flagged).
ULPGATE_INLINE void round_first(const D4& v, const Rounding& f, U4& rounded, I4& bad) {
    const U4 b = reinterpret_cast<U4>(v), a = b & ~sign;
    flag_outside(reinterpret_cast<I4>(a), f, bad);
    const U4 near = (a + (f.half + hand_down)) & (2 * f.half - 1);
    bad |= (a != 0) & (reinterpret_cast<I4>(near) <= static_cast<std::int64_t>(2 * hand_down));
    rounded = ((a + f.half) >> f.k << f.k) | (b & sign);
}

// Exact doubles rounded to the format, ties to even.
ULPGATE_INLINE void round_exact(const D4& v, const Rounding& f, U4& rounded, I4& bad) {
    const U4 b = reinterpret_cast<U4>(v), a = b & ~sign;
    flag_outside(reinterpret_cast<I4>(a), f, bad);
    rounded = ((a + (f.half - 1) + ((a >> f.k) & 1)) >> f.k << f.k) | (b & sign);
}

ULPGATE_INLINE void store_words(const U4& rounded, const Rounding& f, std::uint32_t* y) {
    const U4 a = rounded & ~sign, nonzero = reinterpret_cast<U4>(a != 0);
    const U4 words = (((a >> f.k) - f.rebias) & nonzero) | ((rounded & sign) >> f.sign_shift);
    const W4 narrow = __builtin_convertvector(words, W4);
    std::memcpy(y, &narrow, sizeof narrow);
}

ULPGATE_INLINE std::size_t round_all(const LaneJob& job, std::size_t blocks, std::uint32_t* y, std::uint32_t* undecided) {
    const Rounding first = job.first, second = job.second;
    std::size_t count = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
        I4 bad = {};
        for (std::size_t j = block * lane_block; j < (block + 1) * lane_block; j += 4) {
            F4 x, w = {1, 1, 1, 1};
            std::memcpy(&x, job.x + j, sizeof x);
            if (job.w) std::memcpy(&w, job.w + j, sizeof w);
            const D4 wide_x = __builtin_convertvector(x, D4), wide_w = __builtin_convertvector(w, D4);
            U4 rounded;
            if (job.cast_first) {
                round_first(wide_x * job.r, first, rounded, bad);
                round_exact(reinterpret_cast<D4>(rounded) * wide_w, second, rounded, bad);
                store_words(rounded, second, y + j);
            } else {
                round_first(wide_x * wide_w * job.r, first, rounded, bad);
                store_words(rounded, first, y + j);
            }
        }
        undecided[count] = static_cast<std::uint32_t>(block);
        count += (bad[0] | bad[1] | bad[2] | bad[3]) != 0;
    }
    return count;
}

ULPGATE_AVX2 std::size_t round_avx2(const LaneJob& job, std::size_t blocks, std::uint32_t* y, std::uint32_t* undecided) {
    return round_all(job, blocks, y, undecided);
}

}  // namespace

std::size_t round_blocks(const LaneJob& job, std::size_t blocks, std::uint32_t* y, std::uint32_t* undecided) {
    return (has_avx2() ? round_avx2 : portable::round_blocks)(job, blocks, y, undecided);
}

std::size_t portable::round_blocks(const LaneJob& job, std::size_t blocks, std::uint32_t* y, std::uint32_t* undecided) {
    return round_all(job, blocks, y, undecided);
}

}  // namespace ulpgate
