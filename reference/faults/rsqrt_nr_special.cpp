#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, rsqrt_nr_special) = {
    .kind = "rsqrt.nr_special",
    .stage = Stage::rsqrt,
    .line = "r = NaN where v is 0 or Inf: 0 * Inf in a Newton step",
    .fix = "keep the estimate where it is 0 or Inf, and refine only finite ones",
    .change =
        [](Model& m) {
            m.rsqrt = [](float v, const Moments&, double) {
                return v == 0 || std::isinf(v) ? std::numeric_limits<float>::quiet_NaN() : rsqrt_nearest(v);
            };
        },
    .invisible = [](const Contract& c) -> std::string_view {
        return c.by == By::div ? "by=div takes no reciprocal root" : "";
    },
    .needs = "a mean square of 0 without eps, or one that overflows",
};

}  // namespace ulpgate::faults
