#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

namespace {
Source source(const Sizes& s, std::int64_t token, std::int64_t head, std::int64_t j) {
    const std::int64_t H = s[Dim::heads], T = s[Dim::tokens], N = s[Dim::nope], R = s[Dim::rope], D = N + R;
    (void)H, (void)T, (void)R, (void)D;
    const std::int64_t b = token / T, t = token % T, B = s[Dim::batch];
    return {t * B + b, head * D + j};
}
}  // namespace

PIECE(QueryFault, mla_axis_swap) = {
    .kind = "mla.axis_swap",
    .line = "batch and token axes swapped: [B, T] is read as [T, B]",
    .fix = "keep batch outermost",
    .change = [](QueryModel& m) { m.pieces.source = source; },
};

}  // namespace ulpgate::query_faults
