#include "reference/faults/fault.hpp"
#include "reference/faults/narrow.hpp"

namespace ulpgate::faults {

PIECE(Fault, round_truncate) = {
    "round.truncate", Stage::round, "T(v) drops the low bits of v", "",
    "round to nearest, ties to even: do not shift or mask the low bits away", nullptr,
    [](Model& m) {
        m.narrow = [](Type t, std::span<float> v) {
            with_format(t, [&](auto f) {
                for (float& e : v) e = toward_zero<decltype(f)>(e);
            });
        };
    },
    nothing_narrowed};

}  // namespace ulpgate::faults
