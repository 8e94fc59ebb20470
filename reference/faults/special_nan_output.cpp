#include <limits>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, special_nan_output) = {
    .kind = "special.nan_output",
    .stage = Stage::output,
    .line = "y = NaN in column COLUMN",
    .param = "COLUMN",
    .fix = "write a number for finite input: look for 0/0, inf - inf and memory that was never written",
    .default_param = [](std::int64_t d) { return static_cast<double>(d - 1); },
    .change =
        [](Model& m) {
            m.output = [](float y, std::int64_t j, std::int64_t, double p) {
                return static_cast<double>(j) == p ? std::numeric_limits<float>::quiet_NaN() : y;
            };
        },
};

}  // namespace ulpgate::faults
