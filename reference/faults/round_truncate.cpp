#include "reference/faults/fault.hpp"
#include "reference/faults/narrow.hpp"

namespace ulpgate::faults {

PIECE(Fault, round_truncate) = {
    .kind = "round.truncate",
    .stage = Stage::round,
    .line = "T(v) drops the low bits of v",
    .fix = "round to nearest, ties to even: do not shift or mask the low bits away",
    .change =
        [](Model& m) {
            m.narrow = [](Type t, std::span<float> v) {
                with_format(t, [&](auto f) {
                    for (float& e : v) e = toward_zero<decltype(f)>(e);
                });
            };
        },
    .invisible = nothing_narrowed,
};

}  // namespace ulpgate::faults
