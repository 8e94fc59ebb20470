#include "properties/long_check/query_check.hpp"

#include <gtest/gtest.h>

namespace ulpgate::long_check {
namespace {

TEST(QueryLongCheck, TheFirstTasksFindNothing) {
    QueryRecord r;
    while (r.tasks < 400) r.step();
    for (const auto& f : r.findings) ADD_FAILURE() << f;
    EXPECT_GT(r.outputs, 100000);
    std::map<std::string, int> drawn;
    for (std::uint64_t k = 0; k < 400; ++k)
        for (const std::string part : {"b.part=t", "b.order=mma:8x24", "b.order=mma:16x25", "b.order=mma:32x13:128"}) drawn[part] += draw_query(k).line.find(part) != std::string::npos;
    for (const auto& [part, n] : drawn) EXPECT_GT(n, 3) << part;
    for (const char* stage : {"bf16 q", "bf16 q_a", "fp16 norm", "bf16 absorb", "bf16 rope", "bf16 kv norm", "bf16 k_pe", "bf16 k_input", "f32 logits", "bf16 q_b, tensor cores", "bf16 q_b, partial sums in T"}) EXPECT_GT(r.stages[stage].outputs, 0) << stage;
}

}  // namespace
}  // namespace ulpgate::long_check
