#include "reference/faults/estimate.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, rsqrt_nr1) = {
    .kind = "rsqrt.nr1",
    .stage = Stage::rsqrt,
    .line = "r = e (1.5 - 0.5 v e e), e the machine's estimate",
    .fix = "a second Newton step, or 1 / sqrt: one step leaves up to four ulps and turns 0 and Inf into NaN",
    .change =
        [](Model& m) {
            m.rsqrt = [](float v, const Moments&, double) {
                const float e = rsqrt_estimate(v);
                return e * (1.5f - 0.5f * v * e * e);
            };
        },
    .invisible = no_estimate,
};

}  // namespace ulpgate::faults
