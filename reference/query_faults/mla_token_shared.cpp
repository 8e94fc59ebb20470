#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    return {token / T * T, head * D + j};
}
}  // namespace

PIECE(QueryFault, mla_token_shared) = {
    .kind = "mla.token_shared",
    .line = "every token is given token 0 of its batch",
    .fix = "read the row of the token itself",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
