#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, stat_rank_local) = {
    .kind = "stat.rank_local",
    .stage = Stage::columns,
    .line = "m = mean square of the last d / SHARDS columns",
    .param = "SHARDS",
    .fix = "reduce the mean square over all ranks: each holds a shard of the columns",
    .default_param = [](std::int64_t d) { return d > 1 ? 2.0 : 1.0; },
    .change =
        [](Model& m) {
            m.weight = [](std::int64_t j, std::int64_t d, double p) {
                return static_cast<double>(j) < static_cast<double>(d) - std::floor(static_cast<double>(d) / p) ? 0 : 1;
            };
            m.mean = [](const Moments& s, double p) { return s.s / std::floor(s.n / static_cast<float>(p)); };
        },
    .also = {Stage::mean},
};

}  // namespace ulpgate::faults
