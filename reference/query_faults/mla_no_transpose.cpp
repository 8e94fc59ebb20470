#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    const std::int64_t flat = head * T + token % T;
    return {token / T * T + flat / H, flat % H * D + j};
}
}  // namespace

PIECE(QueryFault, mla_no_transpose) = {
    .kind = "mla.no_transpose",
    .line = "heads and positions swapped at T > 1: [B, T, H, d] is read as [B, H, T, d]",
    .fix = "transpose heads and tokens after the view",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
