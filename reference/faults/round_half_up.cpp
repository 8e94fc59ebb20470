#include "reference/faults/fault.hpp"
#include "reference/faults/narrow.hpp"

namespace ulpgate::faults {

PIECE(Fault, round_half_up) = {
    .kind = "round.half_up",
    .stage = Stage::round,
    .line = "T(v) takes ties away from zero",
    .fix = "round ties to even: adding half an ulp before the cut is not enough",
    .change =
        [](Model& m) {
            m.narrow = [](Type t, std::span<float> v) {
                with_format(t, [&](auto f) {
                    if constexpr (decltype(f)::bits <= 16)
                        for (float& e : v) e = ties_away<decltype(f)>(e);
                });
            };
        },
    .invisible = nothing_narrowed,
};

}  // namespace ulpgate::faults
