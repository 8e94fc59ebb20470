#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    if (j < N) return {token, head * D + j};
    const std::int64_t k = j - N, half = R / 2;
    const std::int64_t from = k < half ? 2 * k : k < 2 * half ? 2 * (k - half) + 1 : k;
    return {token, head * D + N + from};
}
}  // namespace

PIECE(QueryFault, mla_rope_perm) = {
    .kind = "mla.rope_perm",
    .line = "q_pe is de-interleaved: columns 2k, 2k+1 stand at k, k + rope/2",
    .fix = "keep the interleaved layout, or permute k_pe alike",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
