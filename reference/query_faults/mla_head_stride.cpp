#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    return {token, head * N + j};
}
}  // namespace

PIECE(QueryFault, mla_head_stride) = {
    .kind = "mla.head_stride",
    .line = "heads stand nope columns apart instead of nope + rope",
    .fix = "step nope + rope columns from head to head",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
