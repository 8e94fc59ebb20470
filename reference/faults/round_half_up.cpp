#include "reference/faults/narrow.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, round_half_up) = {
    "round.half_up", Stage::round, "T(v) takes ties away from zero", "",
    "round ties to even: adding half an ulp before the cut is not enough", nullptr,
    [](Model& m) {
        m.narrow = [](Type t, std::span<float> v) {
            with_format(t, [&](auto f) {
                if constexpr (decltype(f)::bits <= 16)
                    for (float& e : v) e = ties_away<decltype(f)>(e);
            });
        };
    },
    nothing_narrowed};

}  // namespace ulpgate::faults
