#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_position_restart) = {
    .kind = "mla.position_restart",
    .line = "positions count from 0 in each call: the past is left out",
    .fix = "take the positions that are given",
    .change = [](QueryModel& m) { m.pieces.position = [](const Sizes& s, std::span<const std::int64_t>, std::int64_t token) { return token % s[Dim::tokens]; }; },
    .needs = "rope=one_cast",
};

}  // namespace ulpgate::query_faults
