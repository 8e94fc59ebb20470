#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    return {token, j * H + head};
}
}  // namespace

PIECE(QueryFault, mla_dim_major) = {
    .kind = "mla.dim_major",
    .line = "the view is [d, heads]: a column of all heads stands together",
    .fix = "view q_b as [heads, d]",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
