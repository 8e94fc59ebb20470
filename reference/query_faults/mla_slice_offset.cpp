#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    return {token, head * D + (j < N ? j : j - 1)};
}
}  // namespace

PIECE(QueryFault, mla_slice_offset) = {
    .kind = "mla.slice_offset",
    .line = "q_pe begins one column early: at nope - 1",
    .fix = "slice q_pe from column nope on",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
