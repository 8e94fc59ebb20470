#include "reference/faults/estimate.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

// Named only by running the instruction: its bits are the vendor's.
PIECE(Fault, rsqrt_approx) = {
    .kind = "rsqrt.approx",
    .stage = Stage::rsqrt,
    .line = "r = the machine's reciprocal root estimate, unrefined",
    .fix = "refine the estimate by a Newton step, or take 1 / sqrt",
    .change = [](Model& m) { m.rsqrt = [](float v, const Moments&, double) { return rsqrt_estimate(v); }; },
    .invisible = no_estimate,
};

}  // namespace ulpgate::faults
