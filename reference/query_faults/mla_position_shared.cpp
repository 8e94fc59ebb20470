#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_position_shared) = {
    .kind = "mla.position_shared",
    .line = "every token of every batch is rotated by the first one's position",
    .fix = "read the position of the token itself",
    .change = [](QueryModel& m) { m.pieces.position = [](const Sizes&, std::span<const std::int64_t> given, std::int64_t) { return given[0]; }; },
    .needs = "rope=one_cast",
};

}  // namespace ulpgate::query_faults
