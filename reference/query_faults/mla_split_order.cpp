#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    return {token, head * D + (j < N ? R + j : j - N)};
}
}  // namespace

PIECE(QueryFault, mla_split_order) = {
    .kind = "mla.split_order",
    .line = "q_pe comes first: a head is split rope | nope",
    .fix = "take nope columns first, then rope",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
