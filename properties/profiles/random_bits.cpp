#include <algorithm>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {

// Every eighth row takes words as they come, NaN and Inf among them, which decide the row. The others keep
// the exponents in a window below the one whose squares overflow f32, so that the row says something about
// arithmetic.
PIECE(Profile, random_bits) = {
    "random_bits",
    "random words; in seven rows of eight with exponents in a window of 1 to 64",
    [](const RowRequest& q, std::span<float> x) {
        Rng r = q.rng;
        const bool any = r.below(8) == 0;
        const int span = 1 << r.between(0, 6);
        with_format(q.type, [&](auto f) {
            using F = decltype(f);
            const int top = F::bias + std::min(F::emax, build::scales(q.type, x.size()).hi);
            const int high = r.between(0, top), low = std::max(0, high - span + 1);
            for (float& v : x) {
                const auto word = static_cast<typename F::Word>(r.next() >> 32);
                const auto exponent = static_cast<typename F::Word>(r.between(low, high) << F::mantissa_bits);
                v = F::decode(any ? word
                                  : static_cast<typename F::Word>((word & ~F::exponent_mask) | exponent));
            }
        });
    },
    nullptr,
    false,
    [](std::int64_t d) { return std::clamp<std::int64_t>(131072 / d, 24, 96); },
    "random"};

}  // namespace ulpgate::profiles
