// Each fault of the bank in kernels that the diagnosis knows nothing of; and kernels without a fault.
#include "properties/explain/mutants.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

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
