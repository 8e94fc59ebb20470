// Each fault of the bank in kernels that the diagnosis knows nothing of; and kernels without a fault.
#include "properties/explain/mutants.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace ulpgate {
namespace {

constexpr Type types[] = {Type::bf16, Type::fp16, Type::f32};

TEST(Mutants, NoNameForAKernelThatKeepsItsContract) {
    for (const Type t : types)
        for (const ForeignArithmetic& a : foreign_arithmetics())
            for (const auto contract : honest_contracts()) {
                const auto c = name_mutant(nullptr, a, t, 193, contract);
                EXPECT_EQ(c.naming, Naming::missed) << name(t) << "," << contract << " " << a.name << ": " << c.said;
            }
}

// The two orders of an f64 sum differ in its last bits: rows whose mean square is a tie of f32 but for those.
TEST(Mutants, AnF64SumByTheBatchIsNamed) {
    const auto f64 = std::find_if(foreign_arithmetics().begin(), foreign_arithmetics().end(), [](const ForeignArithmetic& a) { return a.name == "f64"; });
    ASSERT_NE(f64, foreign_arithmetics().end());
    for (const Type t : types)
        for (const std::int64_t d : {385, 512, 1536, 1537}) {
            const auto c = name_mutant(find_fault("order.batch_variant"), *f64, t, d);
            EXPECT_EQ(c.naming, Naming::right) << name(t) << " " << d << ": " << c.said;
        }
}

TEST(Mutants, EveryListedFaultIsNamed) {
    int seen = 0, wrong = 0, bad = 0;
    std::size_t turn = 0;
    for (const Type t : types)
        for (const Fault* f : faults::all()) {
            const auto& a = foreign_arithmetics()[turn++ % foreign_arithmetics().size()];
            const auto c = name_mutant(f, a, t, 385);
            if (c.naming == Naming::invisible || c.naming == Naming::same) continue;
            ++seen;
            wrong += c.naming == Naming::wrong;
            if (c.naming == Naming::right || c.naming == Naming::tied) continue;
            ++bad;
            fmt::print("{} {} {}: {}: {} ({:.3f} s)\n", c.kind, name(t), a.name, name(c.naming), c.said, c.seconds);
        }
    fmt::print("{} of {} named\n", seen - bad, seen);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(bad, 0);
}

}  // namespace
}  // namespace ulpgate
