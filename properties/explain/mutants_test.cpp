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
        for (const ForeignArithmetic& a : foreign_arithmetics()) {
            const auto c = name_mutant(nullptr, a, t, 192);
            EXPECT_EQ(c.naming, Naming::missed) << name(t) << " " << a.name << ": " << c.said;
        }
}

TEST(Mutants, EveryListedFaultIsNamed) {
    int seen = 0, wrong = 0, bad = 0;
    std::size_t turn = 0;
    for (const Type t : types)
        for (const Fault* f : faults::all()) {
            const auto& a = foreign_arithmetics()[turn++ % foreign_arithmetics().size()];
            const auto c = name_mutant(f, a, t, 385);
            if (c.naming == Naming::invisible) continue;
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

TEST(Mutants, DISABLED_Grid) {
    const std::int64_t d = std::atoi(std::getenv("D"));
    std::map<std::string, int> counts;
    double seconds = 0, most = 0;
    for (const Type t : types)
        for (const ForeignArithmetic& a : foreign_arithmetics())
            for (const Fault* f : faults::all()) {
                const auto c = name_mutant(f, a, t, d);
                ++counts[std::string(name(c.naming))];
                seconds += c.seconds, most = std::max(most, c.seconds);
                if (c.naming == Naming::right || c.naming == Naming::invisible) continue;
                fmt::print("{} {} {}: {}: {} ({:.3f} s)\n", c.kind, name(t), a.name, name(c.naming), c.said, c.seconds);
            }
    for (const auto& [k, n] : counts) fmt::print("{} {}\n", k, n);
    fmt::print("{:.1f} s, at most {:.3f}\n", seconds, most);
}

}  // namespace
}  // namespace ulpgate
