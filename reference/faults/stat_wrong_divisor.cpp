#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

// 2112 is the width of the fused q_a + kv_a projection that a slice of 1536 or 512 columns comes from.
PIECE(Fault, stat_wrong_divisor) = {
    .kind = "stat.wrong_divisor",
    .stage = Stage::mean,
    .line = "m = S / DIVISOR",
    .param = "DIVISOR",
    .fix = "divide by the number of columns that were summed, not by a padded or fused width",
    .default_param = [](std::int64_t d) { return d == 2112 ? 1536.0 : 2112.0; },
    .change =
        [](Model& m) {
            m.mean = [](const Moments& s, double p) { return s.s / static_cast<float>(p); };
        },
};

}  // namespace ulpgate::faults
